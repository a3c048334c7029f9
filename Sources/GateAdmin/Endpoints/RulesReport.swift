internal import GateControl
internal import GatePolicy
internal import GateRecords
internal import GateRules

/// The active rules and the result of the last reload; `versiongate reload` decodes it.
package struct RulesReport: Codable {
    package struct Item: Codable {
        /// The stable name of the finding.
        package let name: String
        /// The effect: `refuses`, `warns` or `notes`.
        package let effect: String
        package let rule: String?
        /// The location as `file:line:col`.
        package let place: String
        package let message: String

        init(_ finding: Finding) {
            let error = finding.asError
            self.name = finding.name.rawValue
            self.effect = finding.effect.rawValue
            self.rule = finding.rule
            self.place = "\(error.file):\(error.line):\(error.column)"
            self.message = error.message
        }
    }

    /// The active revision.
    package let revision: String?
    /// Whether the file was valid and accepted when it was last read.
    package let lastReloadSuccessful: Bool
    package let lastSuccessAt: String?
    /// All reasons why the file is not active, including rejections.
    package let errors: [String]?
    /// The findings that caused the file to be rejected.
    package let refusals: [Item]?
    /// The findings on the active rules.
    package let findings: [Item]
    /// The undo that makes the rules differ from the file.
    package let undo: UndoEntry?

    init(_ status: ReloadStatus) {
        self.revision = status.revision
        self.lastReloadSuccessful = status.lastReloadSuccessful
        self.lastSuccessAt = status.lastSuccess?.description
        self.errors = status.errors.isEmpty ? nil : status.errors.map(\.description)
        self.refusals = status.refusals.isEmpty ? nil : status.refusals.map { Item($0) }
        self.findings = status.findings.map { Item($0) }
        self.undo = status.pin.map { UndoEntry($0) }
    }
}

/// An active undo; the files contain other rules.
package struct UndoEntry: Codable {
    package let at: String
    /// The name of the admin token used.
    package let name: String?

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
