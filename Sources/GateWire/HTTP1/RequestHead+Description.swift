/// The part of an authorization request in which a gateway describes the client's request.
package enum RequestDescription: Sendable {
    /// The method and the target are the values of the header fields with these lower-case names.
    case fields(method: StaticString, target: StaticString)
    /// The method is that of the message, and the target follows a prefix of `count` bytes.
    case prefix(count: Int)
}

/// The reason why a message does not describe a request.
package enum DescriptionFault: Error, Equatable, Sendable {
    /// The gateway has not sent this header field.
    case missing(String)
    /// The header field occurs more than once, so one of the lines may be from the client.
    case repeated(String)
    /// The value of the header field, or the target after the prefix, is not a valid method or target.
    case malformed(String)
}

extension RequestHead {
    /// Returns whether a header field announces a body.
    package func announcesBody(in bytes: Span<UInt8>) -> Bool {
        self.fields.lines.contains { line in
            switch line.role {
            case .transferEncoding: true
            case .contentLength: !bytes.equals("0", from: line.valueStart, to: line.valueEnd)
            default: false
            }
        }
    }

    /// Replaces the method and the target with those of the described request.
    ///
    /// Fields that concern only the message itself are dropped: its framing, `Expect`, `TE` and
    /// `Max-Forwards`. `Connection` and `Upgrade` are kept, because some gateways forward those of
    /// a WebSocket handshake.
    package mutating func become(
        _ description: RequestDescription,
        in bytes: Span<UInt8>
    ) throws(DescriptionFault) {
        switch description {
        case .fields(let method, let target):
            let value = try self.onlyValue(of: method, in: bytes)
            guard !value.isEmpty,
                bytes.endOfToken(from: value.lowerBound, to: value.upperBound) == value.upperBound
            else { throw .malformed(method.description) }
            self.target = try Self.target(
                try self.onlyValue(of: target, in: bytes),
                in: bytes,
                of: target.description
            )
            self.methodStart = value.lowerBound
            self.methodEnd = value.upperBound
        case .prefix(let count):
            let range = self.target.start + count..<self.target.end
            self.target = try Self.target(range, in: bytes, of: "target")
        }
        self.hasUnannouncedBody = false
        for index in self.fields.lines.indices {
            switch self.fields.lines[index].role {
            case .contentLength, .transferEncoding, .expect, .te, .maxForwards:
                self.fields.drop(at: index)
            default: break
            }
        }
    }

    /// Drops a `User-Agent` field with exactly this value.
    ///
    /// The gateway sends this value for clients without `User-Agent`.
    package mutating func dropUserAgent(_ value: StaticString, in bytes: Span<UInt8>) {
        let name: StaticString = "user-agent"
        let count = name.utf8CodeUnitCount
        for index in self.fields.lines.indices {
            let (start, end) = (self.fields.lines[index].start, self.fields.lines[index].nameEnd)
            guard end &- start == count, bytes.holdsToken(name, at: start) else { continue }
            let place = self.fields.lines[index].value
            if bytes.equals(value, in: place) { self.fields.drop(at: index) }
        }
    }

    private func onlyValue(
        of name: StaticString,
        in bytes: Span<UInt8>
    ) throws(DescriptionFault) -> Range<Int> {
        var value: Range<Int>?
        let count = name.utf8CodeUnitCount
        let lines = self.fields.lines.span
        for index in lines.indices {
            let start = lines[index].start
            // The length excludes nearly all names.
            guard lines[index].nameEnd &- start == count, bytes.holdsToken(name, at: start)
            else { continue }
            guard value == nil else { throw .repeated(name.description) }
            value = lines[index].value
        }
        guard let value else { throw .missing(name.description) }
        return value
    }

    /// Parses a target, which is empty in a CONNECT request.
    private static func target(
        _ range: Range<Int>,
        in bytes: Span<UInt8>,
        of name: String
    ) throws(DescriptionFault) -> RequestTarget {
        let (start, end) = (range.lowerBound, range.upperBound)
        guard bytes.endOfTarget(from: start, to: end) == end else { throw .malformed(name) }
        var target = RequestTarget()
        target.start = start
        target.end = end
        guard start < end, bytes[start] != ASCII.slash else {
            if start == end { target.form = .absolute }
            return target
        }
        if end - start == 1, bytes[start] == ASCII.asterisk {
            target.form = .asterisk
            return target
        }
        // If the gateway has added its prefix to an empty path, the target after the prefix starts with the query.
        if bytes[start] == ASCII.questionMark {
            target.form = .absolute
            return target
        }
        guard let absolute = RequestTarget(absolute: range, in: bytes) else {
            throw .malformed(name)
        }
        return absolute
    }
}
