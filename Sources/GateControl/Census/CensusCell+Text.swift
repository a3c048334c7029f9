internal import GateCensus
internal import GatePolicy

/// A cell as one text, by which the store finds it again.
///
/// Fields stand between unit separators, the patterns of a path between record separators; neither is
/// in a version, a number or a pattern, and a name with one of them is none.
extension CensusCell {
    private static let field: Character = "\u{1F}"
    private static let record: Character = "\u{1E}"
    private static let clientFields = 6

    var text: String {
        let outcome = [
            self.outcome.kind.rawValue, self.outcome.rule,
            self.outcome.paths.isExempt ? "exempt" : "judged",
            self.outcome.paths.patterns.joined(separator: String(Self.record)),
        ]
        let client = self.client.map { $0.parts.map(\.written) } ?? []
        return (outcome + client).joined(separator: String(Self.field))
    }

    /// - Returns: `nil` for a text that is none of a cell.
    init?(text: String) {
        let fields = text.split(separator: Self.field, omittingEmptySubsequences: false)
            .map(String.init)
        guard fields.count == 4 || fields.count == 4 + Self.clientFields,
            let kind = Decision.Kind(rawValue: fields[0])
        else { return nil }
        let patterns = fields[3].split(separator: Self.record).map(String.init)
        let parts = fields.dropFirst(4).map { CensusClient.Part(written: $0) }
        let client =
            parts.isEmpty
            ? nil
            : CensusClient(
                app: parts[0],
                platform: parts[1],
                channel: parts[2],
                version: parts[3],
                build: parts[4],
                osMajor: parts[5]
            )
        self.init(
            client: client,
            outcome: CensusOutcome(
                paths: CensusPaths(isExempt: fields[2] == "exempt", patterns: patterns),
                kind: kind,
                rule: fields[1]
            )
        )
    }

    /// Whether the text of the cell says what the cell does.
    var isWritable: Bool { CensusCell(text: self.text) == self }
}

extension CensusClient.Part {
    fileprivate var written: String {
        switch self {
        case .missing: "-"
        case .unreadable: "?"
        case .stated(let text): "=" + text
        }
    }

    fileprivate init(written text: String) {
        switch text.first {
        case "=": self = .stated(String(text.dropFirst()))
        case "?": self = .unreadable
        default: self = .missing
        }
    }
}
