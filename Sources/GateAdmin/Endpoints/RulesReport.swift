private import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules

/// The active rules and the result of the last reload.
struct RulesReport: Encodable {
    struct Item: Encodable {
        /// The stable name of the finding.
        let name: String
        /// The effect: `refuses`, `warns` or `notes`.
        let effect: String
        let rule: String?
        /// The location as `file:line:col`.
        let place: String
        let message: String

        init(_ finding: Finding) {
            let error = finding.asError
            self.name = finding.name.rawValue
            self.effect = finding.effect.rawValue
            self.rule = finding.rule
            self.place = "\(error.file):\(error.line):\(error.column)"
            self.message = error.message
        }
    }

    /// The revision that requests are evaluated with.
    let revision: String?
    /// Whether the file was valid and not rejected when it was last read.
    let lastReloadSuccessful: Bool
    let lastSuccessAt: String?
    /// All reasons why the file is not active, including rejections.
    let errors: [String]?
    /// The findings because of which the file was rejected.
    let refusals: [Item]?
    /// The findings on the active rules.
    let findings: [Item]
    /// The undo because of which the rules differ from the file.
    let undo: UndoEntry?

    init(_ status: ReloadStatus) {
        self.revision = status.revision
        self.lastReloadSuccessful = status.lastReloadSuccessful
        self.lastSuccessAt = status.lastSuccess.map { date in
            "\(Timestamp(secondsSinceEpoch: Int64(date.timeIntervalSince1970)))"
        }
        self.errors = status.errors.isEmpty ? nil : status.errors.map(\.description)
        self.refusals = status.refusals.isEmpty ? nil : status.refusals.map { Item($0) }
        self.findings = status.findings.map { Item($0) }
        self.undo = status.pin.map { UndoEntry($0) }
    }
}

/// An active undo; the files contain other rules.
struct UndoEntry: Encodable {
    let at: String
    /// The name of the admin token used.
    let name: String?

    init(_ pin: RulesPin) {
        self.at = "\(Timestamp(secondsSinceEpoch: pin.time))"
        self.name = pin.name
    }
}

/// The state folder.
struct StateReport: Encodable {
    let folder: String
    /// The reason why the folder cannot be used; `nil` if it can.
    let problem: String?

    init(_ lastGood: LastGoodRules) {
        self.folder = lastGood.folderPath
        self.problem = lastGood.problem
    }
}
