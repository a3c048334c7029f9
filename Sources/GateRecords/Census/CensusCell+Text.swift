internal import GateCensus
internal import GatePolicy

/// A text representation of a cell, which identifies it in the store.
///
/// Fields are separated by unit separators, and the patterns of a path by record separators. A cell
/// cannot be stored if one of its parts contains a separator.
extension CensusCell {
    private static let field: Character = "\u{1F}"
    private static let record: Character = "\u{1E}"
    private static let clientFields = 6

    var text: String {
        let (outcome, paths) = (self.outcome, self.outcome.paths)
        let patterns = paths.patterns.joined(separator: String(Self.record))
        let decision = [
            outcome.kind.rawValue, outcome.rule, paths.isExempt ? "exempt" : "judged", patterns,
        ]
        let client = self.client?.parts.map(\.written) ?? []
        return (decision + client).joined(separator: String(Self.field))
    }

    /// Decodes a cell; returns `nil` if the string is not the text of a cell.
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

    /// Whether the text representation of the cell is unambiguous.
    var isWritable: Bool {
        // Decoding the text of every cell for this check would cost ten times as much.
        let paths = self.outcome.paths.patterns
        let parts = self.client?.parts ?? []
        return !self.outcome.rule.has(Self.field)
            && paths.allSatisfy { !$0.isEmpty && !$0.has(Self.field) && !$0.has(Self.record) }
            && parts.allSatisfy { part in
                if case .stated(let text) = part { !text.has(Self.field) } else { true }
            }
    }
}

extension String {
    fileprivate func has(_ separator: Character) -> Bool {
        separator.asciiValue.map { byte in self.utf8.contains { $0 == byte } } ?? false
    }
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
