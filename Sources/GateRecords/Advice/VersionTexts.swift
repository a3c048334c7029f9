internal import GatePolicy

/// Versions as clients write them.
struct VersionTexts {
    /// Versions that a line of a table names.
    private static let limit = 5

    /// From the oldest to the newest.
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
