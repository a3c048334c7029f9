private import FoundationEssentials
internal import GatePolicy
package import GateRules
package import Logging

/// The texts of rules that were active, kept in the state folder or in memory so that changes can
/// be undone.
///
/// The archive is separate from the audit log, whose writes take seconds because they evaluate
/// changes against the census.
package final class RulesArchive: Sendable {
    package typealias Failure = StateDatabase.Failure

    static let fileName = "rules-history.sqlite"
    /// The maximum number of different texts in the archive; the oldest texts are removed first.
    static let mostTexts = 200
    /// The maximum size of all texts in bytes; the two newest texts are kept regardless of their
    /// size.
    static let mostBytes: Int64 = 32 << 20
    /// The maximum number of revisions per text; a feed that changes often creates many revisions.
    private static let mostRevisions: Int64 = 100
    private static let kind = StateDatabase.Kind(
        // The letters `VGrh`.
        application: 0x5647_7268,
        version: 1,
        schema: """
            CREATE TABLE texts (files TEXT PRIMARY KEY, sources TEXT NOT NULL, bytes INTEGER NOT NULL);
            CREATE TABLE revisions (
                id INTEGER PRIMARY KEY AUTOINCREMENT, revision TEXT NOT NULL UNIQUE, files TEXT NOT NULL
            );
            CREATE INDEX revisions_by_files ON revisions (files, id)
            """
    )

    let database: StateDatabase
    private let logger: Logger
    /// Whether the archive persists across restarts.
    package let isKept: Bool

    init(in folder: StateFolder?, logger: Logger) throws(Failure) {
        // A rules file may contain secrets, so the file is created with mode 0600.
        folder?.make(Self.fileName)
        self.database = try StateDatabase(in: folder, Self.fileName, Self.kind)
        self.logger = logger
        self.isKept = folder != nil
    }

    /// Opens the archive in a folder.
    ///
    /// Without a folder, or if the archive in the folder cannot be used, the archive is kept in
    /// memory. The reason is logged.
    package static func open(in folder: StateFolder?, logger: Logger) -> RulesArchive? {
        do throws(Failure) {
            return try RulesArchive(in: folder, logger: logger)
        } catch {
            logger.error("previous rules cannot be stored", metadata: ["error": "\(error)"])
            return folder == nil ? nil : self.open(in: nil, logger: logger)
        }
    }

    /// Stores the texts of the active rules.
    package func keep(_ rules: LoadedRules) {
        let (revision, files) = (rules.definition.revision, rules.filesRevision)
        guard let json = try? JSONEncoder().encode(RulesTexts(rules)) else { return }
        do throws(Failure) {
            try self.database.use { database in
                try database.transaction { () throws(SQLiteDatabase.Failure) in
                    try database.run(
                        "INSERT OR IGNORE INTO texts (files, sources, bytes) VALUES (?, ?, ?)",
                        [
                            .text(files), .text(String(decoding: json, as: UTF8.self)),
                            .integer(Int64(json.count)),
                        ]
                    )
                    // A revision that becomes active again must be the last one.
                    try database.run(
                        "INSERT OR REPLACE INTO revisions (revision, files) VALUES (?, ?)",
                        [.text(revision), .text(files)]
                    )
                    try Self.prune(database, files)
                }
            }
        } catch {
            let metadata: Logger.Metadata = ["revision": "\(revision)", "error": "\(error)"]
            self.logger.error("the rules could not be stored for a later undo", metadata: metadata)
        }
    }

    private static func prune(
        _ database: SQLiteDatabase,
        _ files: String
    ) throws(SQLiteDatabase.Failure) {
        try database.run(
            """
            DELETE FROM revisions WHERE files = ?1 AND id <= (
                SELECT id FROM revisions WHERE files = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2
            )
            """,
            [.text(files), .integer(self.mostRevisions)]
        )
        var count = 0
        var bytes: Int64 = 0
        var old: [String] = []
        try database.run(
            """
            SELECT texts.files, texts.bytes FROM texts JOIN revisions USING (files)
            GROUP BY texts.files ORDER BY max(revisions.id) DESC
            """
        ) { row in
            count += 1
            bytes += row.integer(1)
            if count > 2, count > self.mostTexts || bytes > self.mostBytes {
                old.append(row.text(0))
            }
        }
        for files in old {
            try database.run("DELETE FROM revisions WHERE files = ?", [.text(files)])
            try database.run("DELETE FROM texts WHERE files = ?", [.text(files)])
        }
    }

    /// Returns the revision of the files alone, without feeds, for the revision of rules that were
    /// active; `nil` if the archive does not contain the revision.
    package func files(of revision: String) throws(Failure) -> String? {
        try self.text("SELECT files FROM revisions WHERE revision = ?", revision)
    }

    /// Returns the texts of a revision that was active; `nil` if the archive does not contain them.
    package func texts(of revision: String) throws(Failure) -> RulesTexts? {
        let json = try self.text(
            "SELECT sources FROM texts JOIN revisions USING (files) WHERE revision = ?",
            revision
        )
        return json.flatMap { try? JSONDecoder().decode(RulesTexts.self, from: Data($0.utf8)) }
    }

    /// Returns the most recently active revision with different files; `nil` if there is none.
    package func revision(before files: String) throws(Failure) -> String? {
        try self.text(
            "SELECT revision FROM revisions WHERE files <> ? ORDER BY id DESC LIMIT 1",
            files
        )
    }

    /// Returns the revisions in `revisions` that an undo can restore: those with files other than
    /// `files`.
    package func others(of revisions: [String], than files: String?) throws(Failure) -> Set<String>
    {
        try self.database.use { database in
            var others: Set<String> = []
            for revision in Set(revisions) {
                try database.run(
                    "SELECT revision FROM revisions WHERE revision = ? AND files <> ?",
                    [.text(revision), .text(files ?? "")]
                ) { others.insert($0.text(0)) }
            }
            return others
        }
    }

    private func text(_ sql: String, _ value: String) throws(Failure) -> String? {
        try self.database.use { database in
            var text: String?
            try database.run(sql, [.text(value)]) { text = $0.text(0) }
            return text
        }
    }
}
