import Glibc
import Synchronization

/// Which descriptors are open, so that another thread can end them and never hits a later one.
final class OpenSockets: Sendable {
    private let descriptors = Mutex<[Int: Int32]>([:])

    func add(_ descriptor: Int32, as index: Int) {
        self.descriptors.withLock { $0[index] = descriptor }
    }

    /// Call it before the descriptor is closed.
    func remove(_ index: Int) {
        self.descriptors.withLock { $0[index] = nil }
    }

    /// Ends the sending side of all, in order.
    func finishSending() {
        self.shutDown(Int32(SHUT_WR))
    }

    /// Ends all, without waiting for what the peers still have to say.
    func end() {
        self.shutDown(Int32(SHUT_RDWR))
    }

    private func shutDown(_ how: Int32) {
        self.descriptors.withLock { descriptors in
            for descriptor in descriptors.values {
                _ = shutdown(descriptor, how)
            }
        }
    }
}
