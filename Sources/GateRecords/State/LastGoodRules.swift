internal import GateCrypto
package import GateRules
internal import GateSystem
private import Synchronization

/// Stores the last valid rules files, so that the gate can start even if the current ones are
/// invalid.
package final class LastGoodRules: Sendable {
    private struct Record: Codable {
        /// The format version of the record; records with a different version are ignored.
        var format = 1
        /// The configured path of the rules.
        var path: String
        var sources: RulesTexts
        /// The undo that made the texts active instead of the files at the path; `nil` if there was
        /// none.
        var pin: RulesPin?

        /// A hash of the record, which detects truncated files.
        ///
        /// It does not include the undone files, which older versions of the gate do not know.
        var checksum = ""

        var sum: String {
            var hash = SHA256()
            let texts = self.sources.sources.flatMap { [$0.name, $0.text] }
            let undone = self.pin.map { ["undone"] + $0.undone } ?? []
            for part in [self.path] + texts + undone {
                hash.update(Array("\(part.utf8.count):\(part)".utf8))
            }
            return hash.digest.map { String($0, radix: 16) }.joined(separator: ".")
        }
    }

    private static let name = "rules.last-good.json"
    /// The maximum size of the record in bytes: a character may take six bytes in JSON, a folder
    /// may contain many files, and an undo doubles the texts.
    private static let maximumSize = 2 * 6 * 16 * RulesSource.maximumSize

    private let folder: StateFolder
    private let path: String
    private let lastProblem = Mutex<String?>(nil)

    /// Creates a store in a folder, for the rules at a path.
    package init(_ folder: StateFolder, path: String) {
        self.folder = folder
        self.path = path
    }

    /// The reason why the active rules are not stored; `nil` if they are stored.
    package var problem: String? {
        self.lastProblem.withLock(\.self) ?? self.folder.problem.map { "\($0)" }
    }

    /// The path of the folder that stores the rules.
    package var folderPath: String { self.folder.path }

    /// Reads the rules that were stored for this path.
    ///
    /// - Parameter report: Called with the reason if the stored rules cannot be used.
    /// - Returns: The texts of the rules, and the undo that made them active; `nil` if there are no
    ///   usable rules.
    package func read(report: (String) -> Void) -> (texts: RulesTexts, pin: RulesPin?)? {
        guard let record = Self.record(in: self.folder, report: report) else { return nil }
        guard AbsolutePath.of(record.path) == AbsolutePath.of(self.path) else {
            let undo = record.pin == nil ? "" : ", and so is the undo in it"
            report("\(self.folder.path)/\(Self.name) is for other rules\(undo): \(record.path)")
            return nil
        }
        return (record.sources, record.pin)
    }

    /// Reads the texts that are stored in a folder, regardless of the path of their rules; for CLI
    /// commands.
    package static func texts(in folder: StateFolder, report: (String) -> Void) -> RulesTexts? {
        self.record(in: folder, report: report)?.sources
    }

    private static func record(in folder: StateFolder, report: (String) -> Void) -> Record? {
        guard
            let record: Record = folder.value(
                in: Self.name,
                atMost: Self.maximumSize,
                report: report
            )
        else { return nil }
        if record.format == 1, record.checksum == record.sum { return record }
        report(
            "\(folder.path)/\(Self.name) cannot be used: it is damaged, or was written by another "
                + "version of VersionGate"
        )
        return nil
    }

    /// Stores the texts of rules that have become active.
    package func keep(_ rules: LoadedRules) {
        var record = Record(path: self.path, sources: RulesTexts(rules), pin: rules.pin)
        record.checksum = record.sum
        do throws(StateFolder.Failure) {
            try self.folder.save(record, as: Self.name)
            self.lastProblem.withLock { $0 = nil }
        } catch {
            self.lastProblem.withLock { $0 = "\(error)" }
        }
    }
}
