package import GateRules
package import Logging

/// Logs findings; a finding that persists is logged only once.
package struct FindingsLog {
    /// The maximum number of findings to log when rules become active; `versiongate check` shows all findings.
    private static let limit = 20

    private let logger: Logger

    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs the new findings on rules that have become active.
    ///
    /// A change that makes rules laxer is logged as a warning, because nothing else reveals the
    /// change.
    package func report(_ findings: RulesFindings, after former: RulesFindings? = nil) {
        let known = Set(former?.all ?? [])
        let news = findings.all.filter { $0.isLoud && !known.contains($0) }
        for finding in news.prefix(Self.limit) {
            self.logger.warning("\(finding.asError)", metadata: Self.metadata(of: finding))
        }
        if news.count > Self.limit {
            self.logger.warning(
                "\(news.count - Self.limit) more findings; 'versiongate check' shows all findings"
            )
        }
    }

    /// Logs the reasons why rules were rejected.
    package func report(_ failure: LoadFailure, _ metadata: Logger.Metadata = [:]) {
        switch failure {
        case .unreadable(let errors):
            for error in errors.errors { self.logger.error("\(error)", metadata: metadata) }
        case .refused(let findings, _, _):
            for finding in findings {
                let more = Self.metadata(of: finding).merging(metadata) { own, _ in own }
                self.logger.error("\(finding.asError)", metadata: more)
            }
        }
    }

    private static func metadata(of finding: Finding) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["finding": "\(finding.name.rawValue)"]
        metadata["rule"] = finding.rule.map { "\($0)" }
        return metadata
    }
}
