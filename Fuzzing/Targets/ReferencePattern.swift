import GatePolicy

/// A path pattern that is matched segment by segment.
struct ReferencePattern {
    let pattern: RequestPattern
    let text: String
    private let method: String?
    private let path: [UInt8]?

    /// Parses `/a/**` or `POST /a/**`; `nil` if the pattern is invalid.
    init?(_ line: ArraySlice<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split(separator: " ", maxSplits: 1)
        let hasMethod = words.count == 2 && !text.hasPrefix("/")
        let method = hasMethod ? String(words[0]) : nil
        let path = hasMethod ? String(words[1]) : text
        let methods = method.map { [$0] }
        guard let pattern = try? RequestPattern(path: path, methods: methods) else { return nil }
        self.pattern = pattern
        self.text = text
        self.method = method?.uppercased()
        self.path = Array(path.utf8)
    }

    /// Whether a rule with the pattern matches these segments.
    func matchesLeniently(_ segments: [[UInt8]], _ method: String) -> Bool {
        guard self.method == nil || self.method == method.uppercased() else { return false }
        guard let path = self.path, let exact = ReferencePath.exact(path) else { return false }
        var labels = exact
        if labels.last == [] { labels.removeLast() }
        return Self.matches(labels[...], segments[...]) { $0.map(Self.folded) == $1 }
    }

    /// Whether an exemption with the pattern matches these segments.
    func matchesExactly(_ segments: [[ReferencePath.Unit]], _ method: String) -> Bool {
        guard self.method == nil || self.method == method else { return false }
        guard let path = self.path, let labels = ReferencePath.exact(path) else { return false }
        return Self.matches(labels[...], segments[...], ==)
    }

    private static func folded(_ unit: ReferencePath.Unit) -> UInt8 {
        switch unit {
        case .plain(let byte), .encoded(let byte): ReferencePath.lowercased(byte)
        }
    }

    /// Matches segments against a pattern, in which an encoded star is an ordinary character.
    private static func matches<Unit>(
        _ labels: ArraySlice<[ReferencePath.Unit]>,
        _ segments: ArraySlice<[Unit]>,
        _ isSame: ([ReferencePath.Unit], [Unit]) -> Bool
    ) -> Bool {
        let star = ReferencePath.Unit.plain(UInt8(ascii: "*"))
        guard let label = labels.first else { return segments.isEmpty }
        if label == [star, star] { return true }
        guard let segment = segments.first else { return false }
        guard label == [star] ? !segment.isEmpty : isSame(label, segment) else { return false }
        return Self.matches(labels.dropFirst(), segments.dropFirst(), isSame)
    }
}
