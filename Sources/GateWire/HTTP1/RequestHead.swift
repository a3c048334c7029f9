/// A request head as spans over the bytes that carried it, whatever version of HTTP it came in.
///
/// Those of HTTP/1.1 are the text itself (RFC 9112 3 and 5), and those of HTTP/2 a `HeaderList`; field
/// lines look the same in both. All positions count from the first byte.
package struct RequestHead: Equatable, Sendable {
    package internal(set) var methodStart = 0
    package internal(set) var methodEnd = 0
    package internal(set) var target = RequestTarget()
    /// The minor version; 1.2 and later are read as 1.1 (RFC 9110 2.5).
    package internal(set) var minorVersion = 1
    package internal(set) var fields = FieldSection()
    /// The index at which the field lines begin, but for the host of HTTP/2, which stands before
    /// them.
    package internal(set) var fieldsStart = 0
    /// One past the empty line that ends the head.
    package internal(set) var end = 0
    /// Whether the bytes before the fields are a request line of HTTP/1.1.
    package internal(set) var hasRequestLine = true
    /// Whether a body follows of which no field tells: HTTP/2 frames it otherwise.
    package internal(set) var hasUnannouncedBody = false

    package init() {}

    /// Whether this is the method; methods are case-sensitive (RFC 9110 9.1).
    package func method(_ word: StaticString, in bytes: Span<UInt8>) -> Bool {
        bytes.equals(word, from: self.methodStart, to: self.methodEnd)
    }
}

/// The places of the parts of a request target (RFC 9112 3.2).
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
    /// The host and port of an absolute-form target; empty otherwise.
    package internal(set) var authorityStart = 0
    package internal(set) var authorityEnd = 0
    /// The path and query; empty for an absolute-form target without a path.
    package internal(set) var start = 0
    package internal(set) var end = 0
}
