/// A segment that an API document names, as requests for it are kept.
package struct PathWord: Sendable, Hashable {
    /// The spelling in which shapes have it.
    package let text: String
    package let kind: PathShape.Kind
    /// Whether it is `^` if a request writes it in capitals.
    package let mayBeCapitals: Bool

    /// - Returns: `nil` if backends could disagree about it, so that requests for it have no shape.
    package init?(_ segment: String) {
        guard let path = ExactPath(Array("/\(segment)".utf8)) else { return nil }
        let bytes = Array(path.bytes.dropFirst())
        guard !bytes.contains(UInt8(ascii: "/")) else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
        self.kind = PathShape.kind(of: bytes.span)
        self.mayBeCapitals = PathShape.hasCapitals(bytes)
    }
}
