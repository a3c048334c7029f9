internal import GatePolicy

/// Versions as written by clients.
struct VersionTexts {
    /// The maximum number of versions in a summary.
    private static let limit = 5

    /// The versions, oldest first.
    let sorted: [String]

    init(_ texts: Set<String>) {
        self.sorted = texts.map { ($0, try? AppVersion(parsing: $0)) }.sorted { left, right in
            guard let first = left.1, let second = right.1, first != second else {
                return left.0 < right.0
            }
            return first < second
        }.map(\.0)
    }

    var summary: String {
        let more = self.sorted.count - Self.limit
        return self.sorted.prefix(Self.limit).joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }
}
