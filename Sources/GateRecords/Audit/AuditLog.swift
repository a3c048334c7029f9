internal import GateCensus
internal import GatePolicy
package import GateRules
internal import GateSystem
package import Logging
internal import Synchronization

/// The audit log of changes to the rules, in the state folder or in memory.
package final class AuditLog: Sendable {
    package typealias Failure = StateDatabase.Failure

    static let fileName = "audit.sqlite"
    /// The maximum number of records, which is enough for almost a year with three changes a day.
    static let limit: Int64 = 1_000
    /// The length in seconds of the census period from which the impact of a change is predicted.
    private static let window: Int64 = 86_400
    private static let kind = StateDatabase.Kind(
        // The letters `VGau`.
        application: 0x5647_6175,
        version: 1,
        schema: "CREATE TABLE records (id INTEGER PRIMARY KEY, record TEXT NOT NULL)"
    )

    let database: StateDatabase
    /// A closure that returns the clients in the census since a time; `nil` if the census is off.
    private let clients: (@Sendable (Timestamp) -> [CensusRow])?
    /// A closure that returns the clients in the census between two times; `nil` if the census is off.
    let history: (@Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow])?
    let logger: Logger
    /// The time of the next check for incomplete records; `nil` if all records are complete.
    let nextLook = Mutex<Timestamp?>(Timestamp(secondsSinceEpoch: 0))
    /// Whether the log persists across restarts.
    package let isKept: Bool
    private let kept = Mutex(0)

    /// The number of records added since startup.
    package var count: Int { self.kept.withLock { $0 } }

    /// Opens or creates the log in a folder, or in memory if there is no folder.
    init(
        in folder: StateFolder?,
        clients: (@Sendable (Timestamp) -> [CensusRow])?,
        history: (@Sendable (_ since: Timestamp, _ until: Timestamp) -> [CensusRow])? = nil,
        logger: Logger
    ) throws(Failure) {
        self.database = try StateDatabase(in: folder, Self.fileName, Self.kind)
        self.clients = clients
        self.history = history
        self.logger = logger
        self.isKept = folder != nil
    }

    /// Opens the log in a folder.
    ///
    /// Without a folder, or if the log in the folder cannot be used, the log is kept in memory. The
    /// reason is logged.
    package static func open(
        in folder: StateFolder?,
        census: Census?,
        logger: Logger
    ) -> AuditLog? {
        do throws(Failure) {
            return try AuditLog(
                in: folder,
                clients: census?.clients,
                history: census?.history,
                logger: logger
            )
        } catch {
            logger.error("changes to the rules cannot be recorded", metadata: ["error": "\(error)"])
            return folder == nil ? nil : self.open(in: nil, census: census, logger: logger)
        }
    }

    /// Records a change asynchronously, on the records thread.
    package func note(_ change: RulesChange) {
        BackgroundThread.records.add {
            do throws(Failure) {
                try self.keep(change)
            } catch {
                let metadata: Logger.Metadata = ["error": "\(error)"]
                self.logger.error("a change to the rules was not recorded", metadata: metadata)
            }
        }
    }

    /// Returns the last records before the record `id`, newest first; if `id` is `nil`, the last of
    /// all records.
    package func records(
        before id: Int64? = nil,
        atMost limit: Int
    ) async throws(Failure) -> [AuditRecord] {
        try await BackgroundThread.records.run { () throws(Failure) in
            try self.read(before: id, atMost: limit)
        }
    }

    private func keep(_ change: RulesChange) throws(Failure) {
        let last = try self.read(before: nil, atMost: 1).first
        let isFirst = change.before == nil && change.origin.reason == .start
        let before = isFirst ? try self.lastRevision() : change.before?.definition.revision
        if case .applied(let rules) = change.outcome, rules.definition.revision == before { return }
        let rows = change.before.flatMap { _ in
            self.clients?(change.time.advanced(by: -Self.window))
        }
        let record = AuditRecord(change, before: before, rows)
        // A source that sends the same rejected value repeatedly must not displace other records.
        if record.outcome == .refused, let last, record.repeats(last) { return }
        try self.database.use { database in
            try database.transaction { () throws(SQLiteDatabase.Failure) in
                try database.run(
                    "INSERT INTO records (record) VALUES (?)",
                    [.text(record.json)]
                )
                try database.run(
                    "DELETE FROM records WHERE id <= (SELECT max(id) FROM records) - ?",
                    [.integer(Self.limit)]
                )
            }
        }
        self.nextLook.withLock { $0 = change.time }
        self.kept.withLock { $0 += 1 }
    }

    /// Returns the revision of the last applied change; `nil` if no record has one.
    private func lastRevision() throws(Failure) -> String? {
        try self.read(before: nil, atMost: Int(Self.limit)).first { $0.outcome == .applied }?.after
    }

    func read(before id: Int64?, atMost limit: Int) throws(Failure) -> [AuditRecord] {
        try self.database.use { database in
            var records: [AuditRecord] = []
            try database.run(
                "SELECT id, record FROM records WHERE id < ? ORDER BY id DESC LIMIT ?",
                [.integer(id ?? .max), .integer(Int64(limit))]
            ) { row in
                let record = AuditRecord(json: row.text(1), id: row.integer(0))
                if let record { records.append(record) }
            }
            return records
        }
    }
}
