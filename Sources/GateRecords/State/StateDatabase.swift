private import Synchronization

/// A database of the state folder, of a known kind and version, or one in memory.
package final class StateDatabase: Sendable {
    /// Why there is nothing to be had from a file.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case damaged(String)
        case newer(version: Int64)
        case foreign
        case failed(String)

        package var description: String {
            switch self {
            case .damaged(let reason): "the file is damaged (\(reason)); move it away"
            case .newer(let version):
                "the file is of a newer VersionGate (schema \(version)); move it away"
            case .foreign: "the file is some other database; move it away"
            case .failed(let reason): reason
            }
        }

        init(_ error: any Error) {
            switch error {
            case let failure as Failure: self = failure
            case let failure as SQLiteDatabase.Failure where failure.isDamaged:
                self = .damaged(failure.description)
            default: self = .failed("\(error)")
            }
        }
    }

    /// The mark and the shape by which a file is known again.
    struct Kind {
        /// Four letters, as SQLite's `application_id`.
        let application: Int64
        let version: Int64
        let schema: String
        /// The statements that make the next version of each earlier one, from the first on.
        var migrations: [String] = []
    }

    private let database: Mutex<SQLiteDatabase>

    /// Opens a database, and makes it if it is not there.
    ///
    /// - Parameters:
    ///   - path: Its file; `nil`: it is in memory alone.
    ///   - kind: What it must be.
    /// - Throws: The reason for which the file cannot be used.
    init(path: String?, _ kind: Kind) throws(Failure) {
        do {
            let database = try SQLiteDatabase(path: path)
            let version = try database.integer("PRAGMA user_version") ?? 0
            let application = try database.integer("PRAGMA application_id") ?? 0
            let tables = try database.integer("SELECT count(*) FROM sqlite_schema") ?? 0
            if tables == 0 {
                try Self.make(kind, in: database)
            } else {
                guard application == kind.application else { throw Failure.foreign }
                guard version <= kind.version else { throw Failure.newer(version: version) }
                try Self.migrate(from: version, to: kind, in: database)
            }
            // A crash of the process loses nothing that was written, and one of the machine little.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            self.database = Mutex(database)
        } catch {
            throw Failure(error)
        }
    }

    private static func make(
        _ kind: Kind,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        try database.transaction { () throws(SQLiteDatabase.Failure) in
            try database.execute(kind.schema)
            try database.execute(
                "PRAGMA user_version = \(kind.version); PRAGMA application_id = \(kind.application)"
            )
        }
    }

    private static func migrate(
        from version: Int64,
        to kind: Kind,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) {
        guard version < kind.version else { return }
        try database.transaction { () throws(SQLiteDatabase.Failure) in
            // Another process may have done it meanwhile.
            let version = try database.integer("PRAGMA user_version") ?? 0
            for step in kind.migrations.dropFirst(Int(version) - 1) { try database.execute(step) }
            try database.execute("PRAGMA user_version = \(kind.version)")
        }
    }

    func use<Value: Sendable>(
        _ body: (SQLiteDatabase) throws -> Value
    ) throws(Failure) -> Value {
        do {
            return try self.database.withLock { try body($0) }
        } catch {
            throw Failure(error)
        }
    }
}
