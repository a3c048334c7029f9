package import FoundationEssentials

/// How the last reload went, for the status page and the metrics.
package struct ReloadStatus: Sendable, Equatable {
    /// False until the first load, and after every reload that found something wrong.
    package private(set) var lastReloadSuccessful: Bool
    /// When the rules were last read and found to be right, changed or not.
    package private(set) var lastSuccess: Date?
    /// The revision that is in force.
    package private(set) var revision: String?
    /// What the last reload found wrong; empty if it succeeded.
    package private(set) var errors: [RulesFileError]

    static let notLoaded = ReloadStatus(
        lastReloadSuccessful: false,
        lastSuccess: nil,
        revision: nil,
        errors: []
    )

    static func succeeded(at time: Date, revision: String) -> ReloadStatus {
        ReloadStatus(
            lastReloadSuccessful: true,
            lastSuccess: time,
            revision: revision,
            errors: []
        )
    }

    /// Another revision is in force, without a reload of the file.
    mutating func use(revision: String) {
        self.revision = revision
    }

    /// Keeps the revision that is in force.
    mutating func fail(_ errors: [RulesFileError]) {
        self.lastReloadSuccessful = false
        self.errors = errors
    }
}
