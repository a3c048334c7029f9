internal import GatePolicy

/// Versions as written by clients.
struct VersionTexts {
    /// The maximum number of versions in a summary.
    private static let limit = 5

    /// The versions, oldest first, and after them the texts that are not versions.
    let sorted: [String]

    init(_ texts: Set<String>) {
        self.sorted = texts.map { ($0, try? AppVersion(parsing: $0)) }.sorted { left, right in
            switch (left.1, right.1) {
            case (let first?, let second?) where first != second: first < second
            case (_?, nil): true
            case (nil, _?): false
            default: left.0 < right.0
            }
        }.map(\.0)
    }

    var summary: String {
        let more = self.sorted.count - Self.limit
        return self.sorted.prefix(Self.limit).joined(separator: " ")
            + (more > 0 ? " and \(more) more" : "")
    }
}
