private import FoundationEssentials
internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules

/// The rules in force, and how the last reload went.
struct RulesReport: Encodable {
    struct Item: Encodable {
        /// The stable name of the finding.
        let name: String
        /// `refuses`, `warns` or `notes`.
        let effect: String
        let rule: String?
        /// `file:line:col`.
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

    /// The revision that requests are judged by.
    let revision: String?
    /// Whether the file was right, and not refused, when it was last read.
    let lastReloadSuccessful: Bool
    let lastSuccessAt: String?
    /// Everything for which the file is not in force, refusals included.
    let errors: [String]?
    /// The findings that refused the file.
    let refusals: [Item]?
    /// The findings on the rules in force.
    let findings: [Item]
    /// The undo by which the file is not in force.
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

/// An undo that stands in force although the files say something else.
struct UndoEntry: Encodable {
    let at: String
    /// The name of the operator's token.
    let name: String?

    init(_ pin: RulesPin) {
        self.at = "\(Timestamp(secondsSinceEpoch: pin.time))"
        self.name = pin.name
    }
}

/// The folder of what outlives the process.
struct StateReport: Encodable {
    let folder: String
    /// Why nothing is kept there; not there if all is well.
    let problem: String?

    init(_ lastGood: LastGoodRules) {
        self.folder = lastGood.folderPath
        self.problem = lastGood.problem
    }
}
