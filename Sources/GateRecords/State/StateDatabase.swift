private import Synchronization

/// A database of a known kind and version, in the state folder or in memory.
package final class StateDatabase: Sendable {
    /// The reason why a database cannot be used.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case damaged(String)
        case newer(version: Int64)
        case foreign
        case failed(String)

        package var description: String {
            switch self {
            case .damaged(let reason): "the file is damaged (\(reason)); move it out of the way"
            case .newer(let version):
                "the file was written by a newer VersionGate (schema \(version)); move it out of the way"
            case .foreign: "the file is not the expected database; move it out of the way"
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

    /// The application ID, the version and the schema of a database.
    struct Kind {
        /// Four letters, stored as SQLite's `application_id`.
        let application: Int64
        let version: Int64
        let schema: String
        /// The statements that migrate each version to the next one, starting with version 1.
        var migrations: [String] = []
    }

    private let database: Mutex<SQLiteDatabase>

    /// Opens the database at a path, and creates it if it does not exist; if `path` is `nil`, the
    /// database is in memory.
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
            // With these settings, a crash of the process loses no writes; a crash of the machine
            // may lose the last writes.
            try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            self.database = Mutex(database)
        } catch {
            throw Failure(error)
        }
    }

    /// Opens a database in a folder, or in memory if there is no folder.
    convenience init(in folder: StateFolder?, _ name: String, _ kind: Kind) throws(Failure) {
        try self.init(path: folder.map { "\($0.path)/\(name)" }, kind)
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
            // Another process may have migrated the database since the version was last read.
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
