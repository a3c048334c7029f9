import GatePolicy

/// A client's request as described by Envoy in a `CheckRequest`, for conversion to an HTTP/1.1 head.
///
/// The messages are defined in envoy/service/auth/v3/external_auth.proto (`CheckRequest`) and
/// envoy/service/auth/v3/attribute_context.proto (`AttributeContext`).
package struct EnvoyCheckRequest {
    /// The reason why the request cannot be evaluated.
    package enum Fault: Error, Equatable {
        /// The message is not a `CheckRequest`.
        case malformed
        /// The described request is not valid HTTP.
        case http(MessageFault)
    }

    /// A header field whose name and value are ranges of the message.
    private struct Field {
        var name = 0..<0
        var value = 0..<0
        var rawValue = 0..<0
    }

    private var method = 0..<0
    private var path = 0..<0
    private var host = 0..<0
    private var version = 0..<0
    /// The entries of `http.headers`, in which Envoy joins lines of the same name with a comma.
    private var headers: [Field] = []
    /// The entries of `http.header_map`, one for each line; Envoy sends them if `encode_raw_headers` is set.
    private var headerMap: [Field] = []
    private var sourceAddress = 0..<0
    /// The app that the route serves, which replaces the app that the client states.
    private var appExtension: Range<Int>?
    /// The prefix of all paths of the route, which clients do not send.
    private var pathPrefixExtension: Range<Int>?

    /// Parses a `CheckRequest`.
    ///
    /// If a field occurs more than once, its last value applies, and messages are merged (Protocol
    /// Buffers, "Last One Wins").
    package init(_ message: Span<UInt8>) throws(Fault) {
        do throws(ProtobufReader.Fault) {
            for attributes in try Self.messages(1, of: 0..<message.count, in: message) {
                try self.readAttributes(attributes, in: message)
            }
        } catch {
            throw .malformed
        }
    }

    /// Reads an `AttributeContext`.
    private mutating func readAttributes(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) {
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            switch (field.number, field.value) {
            case (1, .bytes(let peer)): try self.readPeer(peer, in: bytes)
            case (4, .bytes(let request)):
                for http in try Self.messages(2, of: request, in: bytes) {
                    try self.readHTTP(http, in: bytes)
                }
            case (10, .bytes(let entry)): try self.readExtension(entry, in: bytes)
            default: break
            }
        }
    }

    /// Reads a `Peer`, which contains an `Address` with a `SocketAddress`.
    private mutating func readPeer(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) {
        for address in try Self.messages(1, of: range, in: bytes) {
            for socket in try Self.messages(1, of: address, in: bytes) {
                for text in try Self.messages(2, of: socket, in: bytes) {
                    self.sourceAddress = text
                }
            }
        }
    }

    /// Returns the ranges of all strings or messages with this field number.
    private static func messages(
        _ number: UInt64,
        of range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            if field.number == number, case .bytes(let range) = field.value { found.append(range) }
        }
        return found
    }

    /// Reads an `AttributeContext.HttpRequest`.
    private mutating func readHTTP(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) {
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            guard case .bytes(let value) = field.value else { continue }
            switch field.number {
            case 2: self.method = value
            case 3: self.headers.append(try Self.field(value, in: bytes))
            case 4: self.path = value
            case 5: self.host = value
            case 10: self.version = value
            case 13:
                for line in try Self.messages(1, of: value, in: bytes) {
                    self.headerMap.append(try Self.field(line, in: bytes))
                }
            default: break
            }
        }
    }

    /// Reads an entry of a string map, or a `HeaderValue`.
    private static func field(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) -> Field {
        var result = Field()
        var reader = ProtobufReader(range)
        while let field = try reader.next(in: bytes) {
            guard case .bytes(let value) = field.value else { continue }
            switch field.number {
            case 1: result.name = value
            case 2: result.value = value
            case 3: result.rawValue = value
            default: break
            }
        }
        return result
    }

    /// Reads an entry of the route's `context_extensions`.
    private mutating func readExtension(
        _ range: Range<Int>,
        in bytes: Span<UInt8>
    ) throws(ProtobufReader.Fault) {
        let field = try Self.field(range, in: bytes)
        if bytes.equals("app", in: field.name) {
            self.appExtension = field.value
        } else if bytes.equals("path_prefix", in: field.name) {
            self.pathPrefixExtension = field.value
        }
    }
}

extension EnvoyCheckRequest {
    /// Returns the head of the described request, from the request line to the empty line.
    ///
    /// Names and values are validated here, because a line break in one of them would start another
    /// line. `message` is the message that was parsed. `appField` is the lower-case name of the
    /// header field that states the app, or `nil` if the rules do not read such a field.
    ///
    /// - Throws: `Fault.http` if a part of the request is not valid HTTP.
    package func head(in message: Span<UInt8>, appField: String?) throws(Fault) -> [UInt8] {
        let fields = self.headerMap.isEmpty ? self.headers : self.headerMap
        let isHandshake = self.isHandshake(fields, in: message)
        var head: [UInt8] = []
        head.reserveCapacity(message.count + 64)
        if isHandshake {
            head += "GET".utf8
        } else {
            guard !self.method.isEmpty,
                message.endOfToken(from: self.method.lowerBound, to: self.method.upperBound)
                    == self.method.upperBound
            else { throw .http(.method) }
            head.append(message.extracting(self.method))
        }
        head.append(ASCII.space)
        if let prefix = self.pathPrefixExtension {
            guard Self.isTarget(prefix, in: message) else { throw .http(.target) }
            head.append(message.extracting(prefix))
        }
        guard Self.isTarget(self.path, in: message) else { throw .http(.target) }
        // A CONNECT request has an empty path.
        if self.path.isEmpty, self.pathPrefixExtension?.isEmpty ?? true { head.append(ASCII.slash) }
        head.append(message.extracting(self.path))
        let isHTTP10 = message.equals("HTTP/1.0", in: self.version)
        head += (isHTTP10 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n").utf8
        if !self.host.isEmpty {
            guard Self.isValue(self.host, in: message) else { throw .http(.host) }
            head += "host: ".utf8
            head.append(message.extracting(self.host))
            head += "\r\n".utf8
        }
        if isHandshake { head += "connection: upgrade\r\nupgrade: websocket\r\n".utf8 }
        var hasForwardedFor = false
        for field in fields {
            let (start, end) = (field.name.lowerBound, field.name.upperBound)
            guard start < end, message[start] != ASCII.colon,
                !message.matches("host", from: start, to: end)
            else { continue }
            guard message.endOfToken(from: start, to: end) == end else { throw .http(.fieldName) }
            if let appField, self.appExtension != nil, Self.isName(appField, field.name, message) {
                continue
            }
            if message.matches("x-forwarded-for", from: start, to: end) { hasForwardedFor = true }
            let value = field.rawValue.isEmpty ? field.value : field.rawValue
            guard Self.isValue(value, in: message) else { throw .http(.fieldValue) }
            head.append(message.extracting(field.name))
            head += ": ".utf8
            head.append(message.extracting(value))
            head += "\r\n".utf8
        }
        if let appField, let app = self.appExtension {
            guard Self.isValue(app, in: message) else { throw .http(.fieldValue) }
            head += "\(appField): ".utf8
            head.append(message.extracting(app))
            head += "\r\n".utf8
        }
        if !hasForwardedFor, !self.sourceAddress.isEmpty,
            Self.isValue(self.sourceAddress, in: message)
        {
            head += "x-forwarded-for: ".utf8
            head.append(message.extracting(self.sourceAddress))
            head += "\r\n".utf8
        }
        head += "\r\n".utf8
        return head
    }

    /// Returns whether the request opens a WebSocket over HTTP/2 (RFC 8441 section 4).
    private func isHandshake(_ fields: [Field], in message: Span<UInt8>) -> Bool {
        guard message.equals("CONNECT", in: self.method) else { return false }
        return fields.contains { field in
            let value = field.rawValue.isEmpty ? field.value : field.rawValue
            return message.equals(":protocol", in: field.name)
                && message.matches("websocket", from: value.lowerBound, to: value.upperBound)
        }
    }

    private static func isTarget(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        bytes.endOfTarget(from: range.lowerBound, to: range.upperBound) == range.upperBound
    }

    private static func isValue(_ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        bytes.isFieldValue(from: range.lowerBound, to: range.upperBound)
    }

    private static func isName(_ name: String, _ range: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        bytes.text(from: range.lowerBound, to: range.upperBound).lowercased() == name
    }
}
