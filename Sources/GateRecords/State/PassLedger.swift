package import GatePolicy
internal import GateSystem
package import Logging
private import Synchronization

/// The single-use passes that have been used, so that each pass works only once.
///
/// The uses are stored in the state folder in the background, because requests must not wait for
/// the disk. If the previous process did not store all uses, or if there is no state folder, passes
/// that were issued before the start are rejected, because they may have been used.
package final class PassLedger: Sendable {
    private struct Use: Codable {
        let id: String
        /// The times of issue and expiry, in seconds since 1970.
        let issued: Int64
        let until: Int64
    }

    private struct Record: Codable {
        /// The format version; records with a different version are not read.
        var format = 1
        /// A random number for each process, because two gates may share a folder during a restart.
        var process: UInt64
        /// Whether the record contains all uses, because the process shut down gracefully.
        var isComplete: Bool
        /// Passes that were issued at or before this time, in seconds since 1970, are rejected.
        var unknownUntil: Int64
        var uses: [Use]
    }

    private struct State {
        var uses: [Pass.ID: Use] = [:]
        /// Passes that were issued at or before this time are rejected.
        var unknownUntil: Timestamp
        var isClosed = false
        var isWriting = false
        var hasChanged = false
    }

    private static let name = "used-passes.json"
    private static let maximumSize = 8 << 20
    /// The maximum number of uses.
    ///
    /// Above the maximum, the uses of the oldest passes are dropped, and all passes issued in or
    /// before the same second are rejected.
    static let capacity = 10_000

    private let folder: StateFolder?
    private let logger: Logger
    private let now: @Sendable () -> Timestamp
    private let process = UInt64.random(in: .min ... .max)
    private let state: Mutex<State>
    /// Held while the file is written.
    private let file = Mutex<Void>(())

    /// Creates a ledger in a folder or, if there is no folder, only in memory.
    ///
    /// All single-use passes are rejected until `start()` is called.
    package init(
        in folder: StateFolder?,
        logger: Logger,
        now: @escaping @Sendable () -> Timestamp = SystemClock.now
    ) {
        self.folder = folder
        self.logger = logger
        self.now = now
        self.state = Mutex(State(unknownUntil: Self.never))
    }

    private static let never = Timestamp(secondsSinceEpoch: .max)

    /// Reads the stored uses, and takes over the file.
    ///
    /// The gate must already be listening: a process that cannot listen must not interfere with the
    /// gate that is listening.
    package func start() {
        let start = self.now()
        var state = State(unknownUntil: start)
        if let folder = self.folder {
            if let record = Self.record(in: folder, self.logger), record.isComplete {
                state.unknownUntil = Timestamp(secondsSinceEpoch: record.unknownUntil)
                for use in record.uses where use.until > start.secondsSinceEpoch {
                    guard let id = Pass.ID(parsing: use.id) else { continue }
                    state.uses[id] = use
                }
            }
            do throws(StateFolder.Failure) {
                try self.write(state, isComplete: false, to: folder)
            } catch {
                // A later start would consider the file complete, although it lacks all uses from
                // now on.
                state.unknownUntil = Self.never
                self.report(error)
            }
        }
        self.state.withLock { $0 = state }
    }

    private static func record(in folder: StateFolder, _ logger: Logger) -> Record? {
        guard
            let record: Record = folder.value(
                in: Self.name,
                atMost: Self.maximumSize,
                report: { logger.error("\($0)") }
            )
        else { return nil }
        if record.format == 1 { return record }
        logger.error(
            "\(folder.path)/\(Self.name) was written in the format of another version of VersionGate"
        )
        return nil
    }

    /// Records the use of a pass; returns `false` if the pass was used before, or may have been.
    package func use(_ pass: Pass) -> Bool {
        let (isNew, starts) = self.state.withLock { state in
            guard Self.isUsable(pass, state) else { return (false, false) }
            if state.uses.count >= Self.capacity { Self.prune(&state, at: self.now()) }
            state.uses[pass.id] = Use(
                id: pass.id.description,
                issued: pass.issued.secondsSinceEpoch,
                until: pass.until.secondsSinceEpoch
            )
            state.hasChanged = true
            defer { state.isWriting = true }
            return (true, !state.isWriting)
        }
        if starts, self.folder != nil { BackgroundThread.records.add { self.writeChanges() } }
        return isNew
    }

    /// Returns whether a pass can still be used.
    package func isUsable(_ pass: Pass) -> Bool {
        self.state.withLock { Self.isUsable(pass, $0) }
    }

    private static func isUsable(_ pass: Pass, _ state: State) -> Bool {
        !state.isClosed && pass.issued > state.unknownUntil && state.uses[pass.id] == nil
    }

    private static func prune(_ state: inout State, at now: Timestamp) {
        state.uses = state.uses.filter { $0.value.until > now.secondsSinceEpoch }
        guard state.uses.count >= self.capacity else { return }
        // A tenth of the uses is dropped at once, because sorting them at every use would be slow.
        let times = state.uses.values.map(\.issued).sorted()
        let last = Timestamp(secondsSinceEpoch: times[self.capacity / 10])
        state.unknownUntil = max(state.unknownUntil, last)
        state.uses = state.uses.filter { $0.value.issued > last.secondsSinceEpoch }
    }

    /// Stores all uses, and rejects all passes from now on.
    package func close() {
        let state = self.state.withLock { state in
            state.isClosed = true
            return state
        }
        self.store(state, isComplete: true)
    }

    private func writeChanges() {
        while true {
            let state: State? = self.state.withLock { state in
                guard state.hasChanged, !state.isClosed else {
                    state.isWriting = false
                    return nil
                }
                state.hasChanged = false
                return state
            }
            guard let state else { return }
            self.store(state, isComplete: false)
        }
    }

    private func store(_ state: State, isComplete: Bool) {
        guard let folder = self.folder else { return }
        self.file.withLock { _ in
            // The ledger may have been closed while this call waited for the lock.
            guard isComplete || !self.state.withLock(\.isClosed) else { return }
            // If a gate that started later owns the file, it rejects all passes that were used
            // here.
            guard Self.record(in: folder, self.logger)?.process == self.process else { return }
            do throws(StateFolder.Failure) {
                try self.write(state, isComplete: isComplete, to: folder)
            } catch {
                self.report(error)
            }
        }
    }

    private func write(
        _ state: State,
        isComplete: Bool,
        to folder: StateFolder
    ) throws(StateFolder.Failure) {
        let now = self.now().secondsSinceEpoch
        let record = Record(
            process: self.process,
            isComplete: isComplete,
            unknownUntil: state.unknownUntil.secondsSinceEpoch,
            uses: state.uses.values.filter { $0.until > now }.sorted { $0.id < $1.id }
        )
        try folder.save(record, as: Self.name)
    }

    private func report(_ error: StateFolder.Failure) {
        self.logger.error(
            "used passes cannot be stored",
            metadata: ["file": "\(Self.name)", "error": "\(error)"]
        )
    }
}
