private import Synchronization

/// Runs all transfers on a dedicated thread.
final class TransferLoop: Sendable {
    /// Identifies a transfer in commands to the thread.
    struct ID: Sendable, Hashable {
        fileprivate let number: UInt64
    }

    enum Command: Sendable {
        case start(ID, FetchRequest, Transfer.Timeout, any TransferSink)
        /// Resumes a transfer whose sink was full and has capacity again.
        case resume(ID)
        /// Cancels a transfer if it has not ended.
        case cancel(ID)
    }

    private struct Inbox {
        var commands: [Command] = []
        var lastID: UInt64 = 0
        var isStopped = false
    }

    /// The maximum time that the thread sleeps without an event.
    private static let longestWait = Duration.seconds(60)

    private let multi: MultiHandle
    private let trust: TrustedAuthorities
    private let now: @Sendable () -> ContinuousClock.Instant
    private let inbox = Mutex(Inbox())

    /// Starts the thread; returns `nil` if the process is out of file descriptors or threads.
    init?(trust: TrustedAuthorities, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        guard let multi = MultiHandle() else { return nil }
        self.multi = multi
        self.trust = trust
        self.now = now
        guard DetachedThread.start("fetcher", { [self] in self.run() }) else { return nil }
    }

    /// Starts a transfer; its sink is always notified of the end.
    func start(
        _ request: FetchRequest,
        timeout: Transfer.Timeout,
        sink: any TransferSink
    ) -> ID {
        let id = self.inbox.withLock { inbox in
            inbox.lastID += 1
            let id = ID(number: inbox.lastID)
            inbox.commands.append(.start(id, request, timeout, sink))
            return id
        }
        self.multi.wake()
        return id
    }

    func send(_ command: Command) {
        self.inbox.withLock { $0.commands.append(command) }
        self.multi.wake()
    }

    /// Cancels all transfers and stops the thread.
    func stop() {
        self.inbox.withLock { $0.isStopped = true }
        self.multi.wake()
    }

    private func run() {
        var transfers: [ID: Transfer] = [:]
        while true {
            let (commands, isStopped) = self.inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isStopped)
            }
            for command in commands { self.obey(command, &transfers) }
            guard !isStopped else { break }
            self.multi.perform()
            self.endFinished(&transfers)
            self.endSilent(&transfers)
            self.multi.wait(atMost: self.wait(for: transfers))
        }
        for transfer in transfers.values { transfer.end(.cancelled) }
    }

    private func obey(_ command: Command, _ transfers: inout [ID: Transfer]) {
        switch command {
        case .start(let id, let request, let timeout, let sink):
            do throws(FetchFailure) {
                transfers[id] = try Transfer(
                    request,
                    timeout: timeout,
                    trust: self.trust,
                    sink: sink,
                    multi: self.multi,
                    now: self.now
                )
            } catch {
                sink.finish(.failure(error))
            }
        case .resume(let id):
            transfers[id]?.resume()
        case .cancel(let id):
            transfers.removeValue(forKey: id)?.end(.cancelled)
        }
    }

    private func endFinished(_ transfers: inout [ID: Transfer]) {
        while let (handle, code) = unsafe self.multi.nextEnded() {
            guard let id = transfers.first(where: { unsafe $0.value.handle == handle })?.key else {
                continue
            }
            transfers.removeValue(forKey: id)?.end(code)
        }
    }

    private func endSilent(_ transfers: inout [ID: Transfer]) {
        let now = self.now()
        for (id, transfer) in transfers where transfer.silenceDeadline.map({ $0 <= now }) == true {
            transfers.removeValue(forKey: id)?.end(.silence)
        }
    }

    private func wait(for transfers: [ID: Transfer]) -> Duration {
        let next = transfers.values.compactMap(\.silenceDeadline).min()
        return next.map { max(.zero, min(Self.longestWait, self.now().duration(to: $0))) }
            ?? Self.longestWait
    }
}
