private import FoundationEssentials
internal import GateCrypto
package import GateRules
internal import GateSystem
private import Synchronization

/// Keeps the texts of the rules that were last found good, so that a start with a broken file has
/// something to go on by.
package final class LastGoodRules: Sendable {
    private struct Record: Codable {
        /// The shape of this record; another one is not read.
        var format = 1
        /// The path that the gate was told to read.
        var path: String
        var sources: RulesTexts
        /// The undo by which these texts stand in force and not those of the path.
        var pin: RulesPin?

        /// A hash over all of it, so that half a file is not taken for a whole one.
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
    /// Every character may take six bytes in JSON, and a folder may have many files.
    private static let maximumSize = 6 * 16 * RulesSource.maximumSize

    private let folder: StateFolder
    private let path: String
    private let lastProblem = Mutex<String?>(nil)

    /// - Parameters:
    ///   - folder: Where they are kept.
    ///   - path: The file or folder of the rules.
    package init(_ folder: StateFolder, path: String) {
        self.folder = folder
        self.path = path
    }

    /// Why the rules in force are not kept; `nil` if they are.
    package var problem: String? {
        self.lastProblem.withLock(\.self) ?? self.folder.problem.map { "\($0)" }
    }

    /// The path of the folder that they are kept in.
    package var folderPath: String { self.folder.path }

    /// The rules that were kept for this path.
    ///
    /// - Parameter report: Is told why what is there cannot be used.
    /// - Returns: The texts, and the undo that they are due to; `nil` if there is nothing that can be used.
    package func read(report: (String) -> Void) -> (texts: RulesTexts, pin: RulesPin?)? {
        guard let record = Self.record(in: self.folder, report: report) else { return nil }
        guard record.path == self.path else {
            report("\(self.folder.path)/\(Self.name) is of other rules: \(record.path)")
            return nil
        }
        return (record.sources, record.pin)
    }

    /// The texts that were kept in a folder, whatever the path of the rules is, for commands.
    package static func texts(in folder: StateFolder, report: (String) -> Void) -> RulesTexts? {
        self.record(in: folder, report: report)?.sources
    }

    private static func record(in folder: StateFolder, report: (String) -> Void) -> Record? {
        let place = "\(folder.path)/\(Self.name)"
        do {
            let bytes = try folder.read(Self.name, atMost: Self.maximumSize)
            let record = try JSONDecoder().decode(Record.self, from: Data(bytes))
            guard record.format == 1, record.checksum == record.sum else {
                report("\(place) cannot be used: it is damaged, or of another release")
                return nil
            }
            return record
        } catch FileContent.Failure.missing {
            return nil
        } catch {
            report("\(place) cannot be used: \(error)")
            return nil
        }
    }

    /// Keeps the texts of rules that have been put in force.
    package func keep(_ rules: LoadedRules) {
        var record = Record(path: self.path, sources: RulesTexts(rules), pin: rules.pin)
        record.checksum = record.sum
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(record) else { return }
        do throws(StateFolder.Failure) {
            try self.folder.replace(Self.name, with: Array(bytes))
            self.lastProblem.withLock { $0 = nil }
        } catch {
            self.lastProblem.withLock { $0 = "\(error)" }
        }
    }
}
