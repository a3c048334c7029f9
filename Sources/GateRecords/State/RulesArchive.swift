private import FoundationEssentials
internal import GatePolicy
package import GateRules
package import Logging

/// The texts of rules that were in force, for an undo: in the state folder, or in memory.
///
/// It is not part of the audit, whose writers hold changes against the census for seconds.
package final class RulesArchive: Sendable {
    package typealias Failure = StateDatabase.Failure

    static let fileName = "rules-history.sqlite"
    /// Different texts that are kept, the last ones.
    static let mostTexts = 200
    /// Bytes of all texts together; the last two are kept whatever their size.
    static let mostBytes: Int64 = 32 << 20
    /// Revisions of the same text that are kept: a feed that changes often must not push others out.
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
    /// Whether it outlives the process.
    package let isKept: Bool

    init(in folder: StateFolder?, logger: Logger) throws(Failure) {
        // A rules file may have secrets in it.
        folder?.make(Self.fileName)
        self.database = try StateDatabase(
            path: folder.map { "\($0.path)/\(Self.fileName)" },
            Self.kind
        )
        self.logger = logger
        self.isKept = folder != nil
    }

    /// The archive of a folder, or one in memory where there is none, or none that can be used; what is
    /// wrong is logged.
    package static func open(in folder: StateFolder?, logger: Logger) -> RulesArchive? {
        do throws(Failure) {
            return try RulesArchive(in: folder, logger: logger)
        } catch {
            logger.error("former rules cannot be kept", metadata: ["error": "\(error)"])
            return folder == nil ? nil : self.open(in: nil, logger: logger)
        }
    }

    /// Keeps the texts of rules that are in force.
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
                    // A revision that is put in force again becomes the last one.
                    try database.run(
                        "INSERT OR REPLACE INTO revisions (revision, files) VALUES (?, ?)",
                        [.text(revision), .text(files)]
                    )
                    try Self.prune(database, files)
                }
            }
        } catch {
            let metadata: Logger.Metadata = ["revision": "\(revision)", "error": "\(error)"]
            self.logger.error("rules are not kept for an undo", metadata: metadata)
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

    /// The files of a revision that was in force, by their name without feeds; `nil` if it is not kept.
    package func files(of revision: String) throws(Failure) -> String? {
        try self.text("SELECT files FROM revisions WHERE revision = ?", revision)
    }

    /// The texts of a revision that was in force; `nil` if they are not kept.
    package func texts(of revision: String) throws(Failure) -> RulesTexts? {
        let json = try self.text(
            "SELECT sources FROM texts JOIN revisions USING (files) WHERE revision = ?",
            revision
        )
        return json.flatMap { try? JSONDecoder().decode(RulesTexts.self, from: Data($0.utf8)) }
    }

    /// The last revision that was in force with other files.
    package func revision(before files: String) throws(Failure) -> String? {
        try self.text(
            "SELECT revision FROM revisions WHERE files <> ? ORDER BY id DESC LIMIT 1",
            files
        )
    }

    /// Those of some revisions that can be put in force again, where these files are.
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
