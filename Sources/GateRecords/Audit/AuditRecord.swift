private import FoundationEssentials
internal import GateCensus
internal import GatePolicy
package import GateRules

/// One change of the rules, or an attempt at one: when, from where, what, and whom it was to hit.
package struct AuditRecord: Sendable, Equatable, Codable {
    package struct Source: Sendable, Equatable, Codable {
        package enum Kind: String, Sendable, Codable {
            case start, signal, file, feed, admin, undo
        }

        package let kind: Kind
        /// The feed, or the name of the operator's token; missing where nobody has a name.
        package let name: String?
    }

    package enum Outcome: String, Sendable, Codable {
        case applied, refused
    }

    package struct Amount: Sendable, Equatable, Codable {
        package let requests: Double
        package let devices: Double
    }

    /// The expectation, by the clients of the last day.
    package struct Prediction: Sendable, Equatable, Codable {
        package let total: Amount
        package let denied: Amount
        package let passed: Amount
        /// All whom the new rules refuse, newly or not; missing in records of before.
        package let refused: Amount?
    }

    /// The clients of an hour after the change, or of the time until the next one.
    package struct Aftermath: Sendable, Equatable, Codable {
        package let since: String
        package let until: String
        package let total: Amount
        /// Those whom a rule refused, whichever.
        package let refused: Amount
    }

    /// The number of the record, in the order of the changes; `nil` until it is kept.
    package internal(set) var id: Int64?
    package let at: String
    package let source: Source
    package let outcome: Outcome
    /// The revision that was in force.
    package let before: String?
    /// The revision that is, or that was refused; missing for rules that could not even be read.
    package let after: String?
    /// The change in words, edit by edit.
    package let changes: [String]
    /// Missing where nobody counts clients, or nothing was in force before.
    package let predicted: Prediction?
    /// Missing until it is known, where nobody counts clients, and where the next change came at once.
    package internal(set) var happened: Aftermath?
    /// Why it was refused: each error with its place.
    package let reasons: [String]
}

extension AuditRecord {
    /// Words of a record: more than anybody reads, and a rules file may have 4 MiB of them.
    static let wordLimit = 100
    private static let lineLimit = 400

    /// A record of a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - before: The revision in force; of a start, that of the last record.
    ///   - rows: The clients of the last day; `nil`: nobody counts them.
    init(_ change: RulesChange, before: String?, _ rows: [CensusRow]?) {
        self.at = "\(change.time)"
        self.source = Source(change.origin)
        self.before = before
        switch change.outcome {
        case .applied(let rules):
            self.outcome = .applied
            self.after = rules.definition.revision
            self.reasons = []
            let edits = change.before.map { RulesEdits(from: $0, to: rules).words } ?? []
            let isSilent = edits.isEmpty && change.before != nil
            self.changes = Self.bounded(
                isSilent ? ["no setting; a feed came, went, or is taken otherwise"] : edits
            )
            self.predicted = change.before.flatMap { old in
                rows.map { Prediction($0, from: old.ruleSet, to: rules.ruleSet, at: change.time) }
            }
        case .refused(let failure):
            self.outcome = .refused
            self.after = failure.revision
            self.changes = []
            self.predicted = nil
            self.reasons = Self.bounded(failure.errors.map(\.description))
        }
    }

    /// Whether it says the same as another one, apart from its time.
    func repeats(_ other: AuditRecord) -> Bool {
        self.source == other.source && self.outcome == other.outcome
            && self.before == other.before && self.after == other.after
            && self.reasons == other.reasons
    }

    private static func bounded(_ lines: [String]) -> [String] {
        let shown = lines.prefix(self.wordLimit).map { line in
            line.count > self.lineLimit ? "\(line.prefix(self.lineLimit))…" : line
        }
        let more = lines.count - shown.count
        return more > 0 ? shown + ["… and \(more) more"] : shown
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// - Returns: `nil` for a text that is none of a record.
    init?(json: String, id: Int64) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(json.utf8)) else {
            return nil
        }
        self = record
        self.id = id
    }
}

extension AuditRecord.Source {
    package init(_ origin: RulesChange.Origin) {
        switch origin.reason {
        case .start: self.kind = .start
        case .signal: self.kind = .signal
        case .fileChanged: self.kind = .file
        case .request: self.kind = .admin
        case .feed: self.kind = .feed
        case .undo: self.kind = .undo
        }
        self.name = origin.name
    }
}

extension AuditRecord.Prediction {
    fileprivate init(_ rows: [CensusRow], from old: RuleSet, to new: RuleSet, at now: Timestamp) {
        let impact = Impact(on: rows, from: old, to: new, at: now)
        self.total = AuditRecord.Amount(impact.total)
        self.denied = AuditRecord.Amount(impact.denied.amount)
        self.passed = AuditRecord.Amount(impact.passed.amount)
        let nothing = RuleSet(
            RuleSetDefinition(revision: "", identity: new.definition.identity)
        )
        let refused = Impact(on: rows, from: nothing, to: new, at: now).denied.amount
        self.refused = AuditRecord.Amount(refused)
    }
}

extension AuditRecord.Amount {
    fileprivate init(_ amount: ImpactAmount) {
        self.requests = (amount.requests * 10).rounded() / 10
        self.devices = (amount.devices * 10).rounded() / 10
    }
}

extension LoadFailure {
    /// Names the rules that were refused, if they could be read.
    fileprivate var revision: String? {
        switch self {
        case .unreadable(let errors): errors.revision?.text
        case .refused(_, let revision, _): revision
        }
    }
}
