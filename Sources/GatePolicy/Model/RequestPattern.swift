/// A pattern that matches requests by path and method, as in a rules file: `POST /v2/payments/**`.
///
/// `*` matches one segment. `**` at the end matches the path before it and everything below that
/// path.
package struct RequestPattern: Sendable, Hashable {
    /// The maximum length of a path, in bytes.
    static let maximumLength = 1024
    /// The maximum number of segments in a path.
    static let maximumDepth = 64

    enum Segment: Sendable, Hashable {
        /// A segment in the spelling of `ExactPath`.
        case literal([UInt8])
        case anyOne
        case anythingBelow

        var folded: Segment {
            guard case .literal(let label) = self else { return self }
            return .literal(LenientPath.folded(label))
        }
    }

    /// The path as written; `nil` if the pattern matches all paths.
    package let path: String?
    /// The methods in upper case, without duplicates; `nil` if the pattern matches all methods.
    package let methods: [String]?
    /// The segments of the path; `nil` if the pattern matches all paths.
    ///
    /// `/` and a trailing slash become an empty segment.
    let segments: [Segment]?
    /// The segments in the form in which rules compare them (see `LenientPath.folded(_:)`).
    let foldedSegments: [Segment]?

    package init(path: String?, methods: [String]?) throws(RequestPatternError) {
        guard path != nil || methods != nil else { throw .empty }
        if let method = methods?.first(where: { !Self.isToken($0) }) {
            throw .invalidMethod(Excerpt(method).text)
        }
        self.path = path
        self.methods = methods.map { Set($0.map { $0.uppercased() }).sorted() }
        self.segments = try path.map(Self.segments)
        self.foldedSegments = self.segments?.map(\.folded)
    }

    private static func segments(_ path: String) throws(RequestPatternError) -> [Segment] {
        guard path.utf8.first == UInt8(ascii: "/") else { throw .relativePath }
        guard path.utf8.count <= Self.maximumLength else { throw .tooLong }
        guard !path.utf8.contains(UInt8(ascii: "?")) else { throw .query }
        guard let exact = ExactPath(Array(path.utf8)) else { throw .ambiguousPath }
        let parts = exact.bytes.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= Self.maximumDepth else { throw .tooLong }
        var segments: [Segment] = []
        for (index, part) in parts.enumerated() {
            let text = String(decoding: part, as: UTF8.self)
            switch text {
            case "*":
                segments.append(.anyOne)
            case "**":
                guard index == parts.count - 1 else { throw .doubleStarInside }
                segments.append(.anythingBelow)
            default:
                guard !text.contains("*") else { throw .partialWildcard(text) }
                segments.append(.literal(Array(part)))
            }
        }
        return segments
    }

    private static func isToken(_ method: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~".utf8
        return (1...32).contains(method.utf8.count)
            && method.utf8.allSatisfy { $0.isLetter || $0.isDigit || marks.contains($0) }
    }

    /// The segments that the shapes of matching paths may omit, by index.
    var omitted: PathShape.Omitted {
        var omitted = PathShape.Omitted()
        for (index, segment) in (self.segments ?? []).enumerated() {
            guard case .literal(let bytes) = segment else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            if PathShape.isNameless(bytes) { omitted.nameless[index] = text }
            if PathShape.hasCapitals(bytes) { omitted.capitals[index] = text }
        }
        return omitted
    }

    /// The pattern on one line, such as `GET,POST /v2/**`.
    package var text: String {
        [self.methods?.joined(separator: ","), self.path].compactMap(\.self).joined(separator: " ")
    }
}
