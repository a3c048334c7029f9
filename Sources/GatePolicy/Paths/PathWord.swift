/// A segment in an API document, in the form in which requests for it are recorded.
package struct PathWord: Sendable, Hashable {
    /// The spelling of the segment in shapes.
    package let text: String
    package let kind: PathShape.Kind
    /// Whether the segment becomes `^` in the shape of a request that contains it in capitals.
    package let mayBeCapitals: Bool

    /// Creates a word; `nil` if backends could interpret the segment in different ways, in which
    /// case requests for it have no shape.
    package init?(_ segment: String) {
        guard let path = ExactPath(Array("/\(segment)".utf8)) else { return nil }
        let bytes = Array(path.bytes.dropFirst())
        guard !bytes.contains(UInt8(ascii: "/")) else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
        self.kind = PathShape.kind(of: bytes.span)
        self.mayBeCapitals = PathShape.hasCapitals(bytes)
    }
}
