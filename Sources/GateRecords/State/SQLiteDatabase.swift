private import CSQLite

/// A connection to a SQLite database, for one thread at a time.
@safe
final class SQLiteDatabase {
    /// The reason why an operation failed.
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
        /// Whether the file is damaged, or is not a database.
        let isDamaged: Bool

        fileprivate init(_ code: CInt, _ message: String) {
            self.description = message
            self.isDamaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT
        }
    }

    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
    }

    /// A prepared statement.
    @safe
    fileprivate final class Statement {
        let pointer: OpaquePointer

        init(_ pointer: OpaquePointer) {
            unsafe self.pointer = pointer
        }

        deinit {
            unsafe sqlite3_finalize(self.pointer)
        }

        /// Resets the statement and its bindings for the next use.
        func reset() {
            unsafe sqlite3_reset(self.pointer)
            unsafe sqlite3_clear_bindings(self.pointer)
        }

        func step() -> CInt { unsafe sqlite3_step(self.pointer) }

        func bind(_ value: Value, at index: CInt) -> CInt {
            let copies = unsafe versiongate_sqlite_transient()
            switch value {
            case .integer(let number): return unsafe sqlite3_bind_int64(self.pointer, index, number)
            case .text(let text):
                return unsafe sqlite3_bind_text(self.pointer, index, text, -1, copies)
            case .bytes(let bytes):
                return unsafe bytes.withUnsafeBytes { buffer in
                    let count = CInt(buffer.count)
                    // With a null pointer, SQLite would bind NULL instead of an empty blob.
                    guard count > 0 else {
                        return unsafe sqlite3_bind_zeroblob(self.pointer, index, 0)
                    }
                    return unsafe sqlite3_bind_blob(
                        self.pointer,
                        index,
                        buffer.baseAddress,
                        count,
                        copies
                    )
                }
            }
        }
    }

    /// A row of a result.
    struct Row {
        fileprivate let statement: Statement

        func integer(_ column: Int32) -> Int64 {
            unsafe sqlite3_column_int64(self.statement.pointer, column)
        }

        func text(_ column: Int32) -> String {
            String(decoding: self.bytes(column), as: UTF8.self)
        }

        func bytes(_ column: Int32) -> [UInt8] {
            guard let start = unsafe sqlite3_column_blob(self.statement.pointer, column)
            else { return [] }
            let count = unsafe Int(sqlite3_column_bytes(self.statement.pointer, column))
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        }
    }

    /// The time in milliseconds to wait for a lock, because two gates share the folder during a
    /// handover.
    private static let patience: CInt = 5_000

    private let handle: OpaquePointer
    /// The prepared statements by SQL text.
    private var statements: [String: Statement] = [:]

    /// Opens a database, and creates it if it does not exist.
    ///
    /// `path` is the path of the file; if it is `nil`, the database is in memory.
    init(path: String?) throws(Failure) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_open_v2(
            path ?? ":memory:",
            &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
            nil
        )
        guard code == SQLITE_OK, let opened = unsafe handle else {
            let message = unsafe String(cString: sqlite3_errstr(code))
            unsafe sqlite3_close_v2(handle)
            throw Failure(code, message)
        }
        unsafe self.handle = opened
        unsafe sqlite3_busy_timeout(opened, Self.patience)
    }

    deinit {
        self.statements = [:]
        unsafe sqlite3_close_v2(self.handle)
    }

    /// Executes SQL statements without parameters, such as a schema.
    func execute(_ sql: String) throws(Failure) {
        let code = unsafe sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw self.failure(code) }
    }

    /// Executes a statement, and calls `body` for each row.
    func run(
        _ sql: String,
        _ values: [Value] = [],
        _ body: (Row) -> Void = { _ in }
    ) throws(Failure) {
        let statement = try self.statement(sql)
        defer { statement.reset() }
        for (index, value) in values.enumerated() {
            let code = statement.bind(value, at: CInt(index + 1))
            guard code == SQLITE_OK else { throw self.failure(code) }
        }
        while true {
            let code = statement.step()
            switch code {
            case SQLITE_ROW: body(Row(statement: statement))
            case SQLITE_DONE: return
            default: throw self.failure(code)
            }
        }
    }

    /// Returns the integer in the first column of the first row; `nil` if there is no row.
    func integer(_ sql: String, _ values: [Value] = []) throws(Failure) -> Int64? {
        var number: Int64?
        try self.run(sql, values) { number = number ?? $0.integer(0) }
        return number
    }

    /// The number of rows that were changed since the connection was opened.
    var changeCount: Int64 {
        get throws(Failure) { try self.integer("SELECT total_changes()") ?? 0 }
    }

    /// Runs a transaction, which is rolled back if `body` throws.
    func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try self.execute("BEGIN IMMEDIATE")
        do throws(Failure) {
            try body()
            try self.execute("COMMIT")
        } catch {
            try? self.execute("ROLLBACK")
            throw error
        }
    }

    private func statement(_ sql: String) throws(Failure) -> Statement {
        if let known = self.statements[sql] { return known }
        var pointer: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(self.handle, sql, -1, &pointer, nil)
        guard code == SQLITE_OK, let prepared = unsafe pointer else { throw self.failure(code) }
        let statement = unsafe Statement(prepared)
        self.statements[sql] = statement
        return statement
    }

    private func failure(_ code: CInt) -> Failure {
        Failure(code, unsafe String(cString: sqlite3_errmsg(self.handle)))
    }
}
