/// A request head as positions in the bytes of its message, for all versions of HTTP.
///
/// The bytes are an HTTP/1.1 head (RFC 9112 sections 3 and 5), or the `HeaderList` of an HTTP/2
/// head. Field lines have the same format in both. All positions are relative to the first byte.
package struct RequestHead: Equatable, Sendable {
    package internal(set) var methodStart = 0
    package internal(set) var methodEnd = 0
    package internal(set) var target = RequestTarget()
    /// The minor version of HTTP/1; 1.2 and later count as 1.1 (RFC 9110 section 2.5).
    package internal(set) var minorVersion = 1
    package internal(set) var fields = FieldSection()
    /// The index of the first field line, not counting `:authority` of an HTTP/2 request, which precedes it.
    package internal(set) var fieldsStart = 0
    /// The position after the empty line that ends the head.
    package internal(set) var end = 0
    /// Whether the bytes before the field lines are an HTTP/1.1 request line.
    package internal(set) var hasRequestLine = true
    /// Whether a body may follow that no field announces; HTTP/2 frames delimit it.
    package internal(set) var hasUnannouncedBody = false

    package init() {}

    /// Returns whether the method is `word`; methods are case-sensitive (RFC 9110 section 9.1).
    package func method(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
        bytes.equals(word, from: self.methodStart, to: self.methodEnd)
    }
}

/// The positions of the parts of a request target (RFC 9112 section 3.2).
@usableFromInline
package struct RequestTarget: Equatable, Sendable {
    @usableFromInline
    package enum Form: Equatable, Sendable {
        case origin
        case absolute
        case asterisk
    }

    @usableFromInline package internal(set) var form = Form.origin
    @inlinable package var isAbsolute: Bool {
        if case .absolute = self.form { true } else { false }
    }
    /// The start of the host and port of an absolute-form target.
    package internal(set) var authorityStart = 0
    /// The end of the host and port of an absolute-form target; equal to the start in other forms.
    package internal(set) var authorityEnd = 0
    /// The start of the path and query.
    package internal(set) var start = 0
    /// The end of the path and query; equal to the start if an absolute-form target has neither.
    package internal(set) var end = 0
}

extension RequestTarget {
    /// Parses a target in absolute form, such as `http://host/path`; fails for all other forms.
    init?(absolute range: Range<Int>, in bytes: Span<UInt8>) {
        guard let authority = Self.authorityStart(of: range, in: bytes) else { return nil }
        var path = authority
        while path < range.upperBound, bytes[path] != ASCII.slash,
            bytes[path] != ASCII.questionMark
        {
            path += 1
        }
        guard path > authority, HostSyntax.isValid(bytes, from: authority, to: path) else {
            return nil
        }
        self.form = .absolute
        self.authorityStart = authority
        self.authorityEnd = path
        self.start = path
        self.end = range.upperBound
    }

    private static func authorityStart(of range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        let start = range.lowerBound
        for (scheme, length) in [("http://" as StaticString, 7), ("https://", 8)]
        where range.count >= length && bytes.matches(scheme, from: start, to: start + length) {
            return start + length
        }
        return nil
    }
}
