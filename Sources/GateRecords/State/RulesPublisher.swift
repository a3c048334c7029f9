package import GateRules
package import Logging
private import Synchronization

/// Writes the rules in force to a file, for the module in Envoy (`--publish-rules`).
///
/// All users may read the file, because Envoy is another one. It contains no secrets, as rules files do not.
package final class RulesPublisher: Sendable {
    private static let mode: UInt32 = 0o644

    private let folder: String
    private let name: String
    private let logger: Logger
    /// The last problem, which is logged only once.
    private let problem = Mutex<String?>(nil)

    /// Creates a publisher; nothing is written yet.
    ///
    /// - Parameters:
    ///   - path: The file, in an existing folder.
    ///   - logger: Logs problems, and their end.
    package init(path: String, logger: Logger) {
        let slash = path.lastIndex(of: "/")
        self.folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        self.name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        self.logger = logger
    }

    /// Replaces the file; readers see either the old or the new rules.
    package func publish(_ rules: PublishedRules) {
        let metadata: Logger.Metadata = [
            "file": "\(self.folder)/\(self.name)", "revision": "\(rules.revision)",
        ]
        do throws(StateFolder.Failure) {
            try StateFolder.replace(
                self.name,
                in: self.folder,
                with: rules.json,
                mode: Self.mode
            )
            let hadProblem = self.problem.withLock { problem in
                defer { problem = nil }
                return problem != nil
            }
            if hadProblem {
                self.logger.notice("the rules can be published again", metadata: metadata)
            } else {
                self.logger.debug("rules published", metadata: metadata)
            }
        } catch {
            let isNew = self.problem.withLock { problem in
                defer { problem = "\(error)" }
                return problem != "\(error)"
            }
            guard isNew else { return }
            self.logger.error(
                "the rules cannot be published: modules keep the earlier ones",
                metadata: metadata.merging(["error": "\(error)"]) { $1 }
            )
        }
    }
}
