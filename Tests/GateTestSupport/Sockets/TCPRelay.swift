import Synchronization

/// A TCP relay to a port of 127.0.0.1 that a test can close and reopen.
package final class TCPRelay: Sendable {
    private struct State {
        var isOpen = true
        /// Incremented by each `close()`, which ends the connections of earlier generations.
        var generation = 0
    }

    private let state = Mutex(State())
    private let listener = Mutex<LoopbackListener?>(nil)

    package init(to port: UInt16) throws {
        let listener = try LoopbackListener { [weak self] descriptor in
            let client = LoopbackSocket(adopting: descriptor)
            guard let generation = self?.enter(), let server = try? LoopbackSocket(port: port)
            else { return }
            while self?.isOpen(since: generation) == true {
                for (from, to) in [(client, server), (server, client)] {
                    switch try? from.receive(by: .after(.milliseconds(5))) {
                    case .bytes(let bytes): guard (try? to.send(bytes)) == true else { return }
                    case .ended: return
                    case nil: continue
                    }
                }
            }
        }
        self.listener.withLock { $0 = listener }
    }

    deinit {
        self.listener.withLock { $0?.stop() }
    }

    package var port: UInt16 { self.listener.withLock { $0?.port ?? 0 } }

    /// Ends all connections, and refuses new ones until `open()`.
    package func close() {
        self.state.withLock { state in
            state.isOpen = false
            state.generation += 1
        }
    }

    package func open() {
        self.state.withLock { $0.isOpen = true }
    }

    private func enter() -> Int? {
        self.state.withLock { $0.isOpen ? $0.generation : nil }
    }

    private func isOpen(since generation: Int) -> Bool {
        self.state.withLock { $0.isOpen && $0.generation == generation }
    }
}
