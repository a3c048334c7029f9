internal import CLinux
import NIOCore
import NIOPosix
import Synchronization

/// A thread that watches the parked connections of all event loops.
///
/// It sleeps until the kernel reports a connection, and then notifies the connection's event loop.
/// It never accesses a connection itself.
final class ParkedConnectionPoller: Sendable {
    let sockets: EpollSet
    /// The number of parked connections of all event loops.
    let count = Atomic<Int>(0)
    private let thread = NIOThreadPool(numberOfThreads: 1)

    /// - Throws: `IOError` if no descriptor is left.
    init() throws {
        self.sockets = try EpollSet()
    }

    /// Starts watching for the stores of all event loops; `stores` are in the order of their
    /// indices.
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
