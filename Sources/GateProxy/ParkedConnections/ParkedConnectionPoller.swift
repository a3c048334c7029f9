internal import CLinux
import NIOCore
import NIOPosix
import Synchronization

/// A thread that watches the parked connections of all event loops.
///
/// The thread sleeps until the kernel reports a connection, and then notifies the event loop of
/// that connection. It never accesses a connection itself.
final class ParkedConnectionPoller: Sendable {
    let sockets: EpollSet
    /// The number of parked connections across all event loops.
    let count = Atomic<Int>(0)
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// Creates a poller whose thread is not running yet.
    ///
    /// - Throws: `IOError` if no file descriptor is available.
    init() throws {
        self.sockets = try EpollSet()
    }

    /// Starts the thread, which reports connections to `stores`: the stores of all event loops,
    /// ordered by index.
    func start(_ stores: [NIOLoopBound<ParkedConnectionStore>]) {
        self.thread.start()
        self.thread.submit { state in
            guard state == .active else { return }
            self.watch(stores)
        }
    }

    /// Ends the thread.
    func stop() async {
        self.sockets.stop()
        try? await self.thread.shutdownGracefully()
    }

    private func watch(_ stores: [NIOLoopBound<ParkedConnectionStore>]) {
        var nextLook = NIODeadline.now()
        var trims = TrimSchedule(begin: nextLook)
        while let tokens = self.sockets.wait(atMost: 1000) {
            let owners = Dictionary(
                grouping: tokens.map(ParkedConnectionToken.init(rawValue:)),
                by: \.worker
            )
            for (owner, tokens) in owners {
                let store = stores[owner]
                store.eventLoop.execute { store.value.becameReadable(tokens) }
            }
            let now = NIODeadline.now()
            guard now >= nextLook else { continue }
            nextLook = now + .seconds(1)
            if trims.isDue(parked: self.count.load(ordering: .relaxed), at: now) {
                _ = malloc_trim(0)
            }
        }
    }
}

/// The schedule for returning free memory to the system.
///
/// Without trimming, the memory usage of the process would stay at its peak, because the allocator
/// keeps the memory that connections used before they were parked. Trimming takes time, so memory
/// is trimmed only after many more connections have been parked, or after `longestInterval`. While about
/// as many connections are resumed as are parked, only the interval applies, because the resumed
/// connections would allocate the same memory again.
struct TrimSchedule {
    /// The number of additional parked connections that triggers a trim, counted from the lowest
    /// number since the last trim.
    static let leastGrowth = 500
    static let leastInterval = TimeAmount.seconds(5)
    /// The maximum time between two trims, regardless of how many connections were parked.
    static let longestInterval = TimeAmount.seconds(60)

    private var least = 0
    private var last: NIODeadline?
    private var previous = 0
    private let begin: NIODeadline

    init(begin: NIODeadline) {
        self.begin = begin
    }

    /// Returns whether to trim now; must be called about once per second.
    ///
    /// `parked` is the number of parked connections.
    mutating func isDue(parked: Int, at now: NIODeadline) -> Bool {
        // During a rapid increase, most connections are still to be parked.
        let isRush = parked > self.previous + self.previous / 8
        self.previous = parked
        self.least = Swift.min(self.least, parked)
        let isCrowd =
            parked >= self.least + Self.leastGrowth && !isRush
            && self.last.map { now - $0 >= Self.leastInterval } ?? true
        guard isCrowd || now - (self.last ?? self.begin) >= Self.longestInterval else {
            return false
        }
        self.least = parked
        self.last = now
        return true
    }
}
