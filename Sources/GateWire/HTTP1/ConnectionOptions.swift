/// The connection options in the `Connection` fields of a message (RFC 9110 section 7.6.1).
@usableFromInline
package struct ConnectionOptions: Equatable, Sendable {
    @usableFromInline package internal(set) var close = false
    @usableFromInline package internal(set) var keepAlive = false
    @usableFromInline package internal(set) var upgrade = false
    /// The lower-case names of the fields that `Connection` declares as hop-by-hop.
    @usableFromInline package internal(set) var nominated: [String] = []

    package mutating func add(_ bytes: Span<UInt8>, _ line: FieldLine) {
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            if bytes.matches("keep-alive", from: start, to: end) {
                self.keepAlive = true
            } else if bytes.matches("close", from: start, to: end) {
                self.close = true
            } else if bytes.matches("upgrade", from: start, to: end) {
                self.upgrade = true
            } else {
                self.nominated.append(bytes.text(from: start, to: end).lowercased())
            }
            return true
        }
    }

    /// Returns whether `Connection` lists the name of this field line, which makes the field hop-by-hop.
    ///
    /// Fields on which decisions or forwarding depend are kept even if a client lists them: listing
    /// `Host` or a version header can only be an attack. Fields that describe the content, or
    /// state the client's preferences about it, are dropped if they are listed, because they only
    /// affect the gate's own responses.
    @inlinable @inline(__always)
    package func nominates(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        !self.nominated.isEmpty && self.isNominated(line, in: bytes)
    }

    @usableFromInline
    func isNominated(_ line: FieldLine, in bytes: Span<UInt8>) -> Bool {
        switch line.role {
        case .other, .accept, .contentType, .dialect: break
        case .identity where bytes.matches("accept-language", from: line.start, to: line.nameEnd):
            break
        case .host, .connection, .contentLength, .transferEncoding, .expect, .upgrade, .origin,
            .requestID, .accessControlRequestMethod, .maxForwards, .forwarded, .te, .hopByHop,
            .gateOwned, .identity:
            return false
        }
        return self.nominated.contains(
            bytes.text(from: line.start, to: line.nameEnd).lowercased()
        )
    }
}
