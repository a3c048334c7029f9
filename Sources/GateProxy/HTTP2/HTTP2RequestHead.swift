package import NIOCore

/// A request head as HTTP/2 sends it, checked and written as HTTP/1.1 (RFC 9113 8.2, 8.3 and 9.1).
///
/// What passes here is read once more, by the parser that reads every request.
package struct HTTP2RequestHead {
    /// How the body of the request is told from what follows.
    package enum Body: Equatable {
        case none
        case length(UInt64)
        case chunked
    }

    /// The request is malformed: an error of its stream (RFC 9113 8.1.1).
    package struct Malformed: Error, Equatable {}

    private var method: HeaderList.Field?
    private var scheme: HeaderList.Field?
    private var path: HeaderList.Field?
    private var authority: HeaderList.Field?
    private var length: UInt64?
    private var hasHost = false
    private var cookies: [HeaderList.Field] = []
    private var hasBegun = false

    private init() {}

    /// Writes the head.
    ///
    /// `endsStream`: whether no body follows.
    /// - Returns: what follows, and whether the method is `HEAD`.
    package static func write(
        _ list: borrowing HeaderList,
        endsStream: Bool,
        into out: inout ByteBuffer
    ) throws(Malformed) -> (body: Body, isHead: Bool) {
        var head = Self()
        let bytes = list.bytes.span
        for field in list.fields {
            if field.nameStart < field.nameEnd, bytes[field.nameStart] == ASCII.colon {
                // Behind the others it could contradict what was decided by them.
                guard !head.hasBegun else { throw Malformed() }
                try head.take(field, in: bytes)
            } else {
                if !head.hasBegun { try head.begin(bytes, into: &out) }
                try head.write(field, in: bytes, into: &out)
            }
        }
        if !head.hasBegun { try head.begin(bytes, into: &out) }
        return try head.end(bytes, endsStream: endsStream, into: &out)
    }

    /// Whether the method is `HEAD`, also of a list that is not complete.
    static func isHead(_ list: borrowing HeaderList) -> Bool {
        let bytes = list.bytes.span
        for field in list.fields
        where bytes.equals(":method", from: field.nameStart, to: field.nameEnd) {
            return bytes.equals("HEAD", from: field.nameEnd, to: field.valueEnd)
        }
        return false
    }

    private mutating func take(
        _ field: HeaderList.Field,
        in bytes: Span<UInt8>
    ) throws(Malformed) {
        let part: WritableKeyPath<Self, HeaderList.Field?>
        if bytes.equals(":method", from: field.nameStart, to: field.nameEnd) {
            part = \.method
        } else if bytes.equals(":scheme", from: field.nameStart, to: field.nameEnd) {
            part = \.scheme
        } else if bytes.equals(":path", from: field.nameStart, to: field.nameEnd) {
            part = \.path
        } else if bytes.equals(":authority", from: field.nameStart, to: field.nameEnd) {
            part = \.authority
        } else {
            throw Malformed()
        }
        guard self[keyPath: part] == nil else { throw Malformed() }
        self[keyPath: part] = field
    }

    /// Writes the request line and `Host`.
    private mutating func begin(
        _ bytes: Span<UInt8>,
        into out: inout ByteBuffer
    ) throws(Malformed) {
        self.hasBegun = true
        guard let method = self.method, method.nameEnd < method.valueEnd,
            bytes.endOfToken(from: method.nameEnd, to: method.valueEnd) == method.valueEnd
        else { throw Malformed() }
        out.write(bytes, from: method.nameEnd, to: method.valueEnd)
        out.writeStaticString(" ")
        let target: HeaderList.Field?
        if bytes.equals("CONNECT", from: method.nameEnd, to: method.valueEnd) {
            // It has a target of its own form (RFC 9113 8.5), and is refused whatever it is.
            guard self.scheme == nil, self.path == nil else { throw Malformed() }
            target = self.authority
        } else {
            guard let scheme = self.scheme, Self.isKnown(scheme, in: bytes) else {
                throw Malformed()
            }
            target = self.path
        }
        guard let target, self.isTarget(target, method, in: bytes) else { throw Malformed() }
        out.write(bytes, from: target.nameEnd, to: target.valueEnd)
        out.writeStaticString(" HTTP/1.1\r\n")
        guard let authority = self.authority else { return }
        guard authority.nameEnd < authority.valueEnd,
            HostSyntax.isValid(bytes, from: authority.nameEnd, to: authority.valueEnd)
        else { throw Malformed() }
        out.writeStaticString("host: ")
        out.write(bytes, from: authority.nameEnd, to: authority.valueEnd)
        out.writeStaticString("\r\n")
    }

    private static func isKnown(_ scheme: HeaderList.Field, in bytes: Span<UInt8>) -> Bool {
        bytes.matches("https", from: scheme.nameEnd, to: scheme.valueEnd)
            || bytes.matches("http", from: scheme.nameEnd, to: scheme.valueEnd)
    }

    /// A path, or `*` for `OPTIONS` (RFC 9113 8.3.1); of other forms the next hop would make
    /// something else.
    private func isTarget(
        _ target: HeaderList.Field,
        _ method: HeaderList.Field,
        in bytes: Span<UInt8>
    ) -> Bool {
        guard target.nameEnd < target.valueEnd else { return false }
        for index in target.nameEnd..<target.valueEnd where !ASCII.isTarget(bytes[index]) {
            return false
        }
        if self.path == nil || bytes[target.nameEnd] == ASCII.slash { return true }
        return bytes.equals("*", from: target.nameEnd, to: target.valueEnd)
            && bytes.equals("OPTIONS", from: method.nameEnd, to: method.valueEnd)
    }

    private mutating func write(
        _ field: HeaderList.Field,
        in bytes: Span<UInt8>,
        into out: inout ByteBuffer
    ) throws(Malformed) {
        guard HTTP2FieldSyntax.isValid(field, in: bytes) else { throw Malformed() }
        switch HTTP2FieldSyntax.role(of: field, in: bytes) {
        case .connectionSpecific: throw Malformed()
        case .cookie:
            // Crumbs of one field, which HTTP/1.1 does not have (RFC 9113 8.2.3).
            return self.cookies.append(field)
        case .host:
            guard !self.hasHost else { throw Malformed() }
            self.hasHost = true
            if let authority = self.authority {
                guard Self.isSame(authority, field, in: bytes) else { throw Malformed() }
                return
            }
        case .contentLength:
            guard self.length == nil, let length = HTTP2FieldSyntax.number(field, in: bytes) else {
                throw Malformed()
            }
            self.length = length
        case .te:
            guard bytes.matches("trailers", from: field.nameEnd, to: field.valueEnd) else {
                throw Malformed()
            }
        case .other: break
        }
        out.write(bytes, from: field.nameStart, to: field.nameEnd)
        out.writeStaticString(": ")
        out.write(bytes, from: field.nameEnd, to: field.valueEnd)
        out.writeStaticString("\r\n")
    }

    private func end(
        _ bytes: Span<UInt8>,
        endsStream: Bool,
        into out: inout ByteBuffer
    ) throws(Malformed) -> (body: Body, isHead: Bool) {
        if !self.cookies.isEmpty {
            out.writeStaticString("cookie: ")
            for (index, cookie) in self.cookies.enumerated() {
                if index > 0 { out.writeStaticString("; ") }
                out.write(bytes, from: cookie.nameEnd, to: cookie.valueEnd)
            }
            out.writeStaticString("\r\n")
        }
        let body: Body
        switch (endsStream, self.length) {
        case (true, nil), (true, 0): body = .none
        case (true, .some): throw Malformed()
        case (false, .some(let length)): body = .length(length)
        case (false, nil):
            body = .chunked
            out.writeStaticString("transfer-encoding: chunked\r\n")
        }
        out.writeStaticString("\r\n")
        let isHead = self.method.map { bytes.equals("HEAD", from: $0.nameEnd, to: $0.valueEnd) }
        return (body, isHead ?? false)
    }

    private static func isSame(
        _ left: HeaderList.Field,
        _ right: HeaderList.Field,
        in bytes: Span<UInt8>
    ) -> Bool {
        let count = left.valueEnd - left.nameEnd
        guard right.valueEnd - right.nameEnd == count else { return false }
        for offset in 0..<count
        where ASCII.lowercased(bytes[left.nameEnd + offset])
            != ASCII.lowercased(bytes[right.nameEnd + offset])
        {
            return false
        }
        return true
    }
}
