import Glibc
import Synchronization

/// Open descriptors that another thread can shut down without affecting a reused descriptor.
final class OpenSockets: Sendable {
    private let descriptors = Mutex<[Int: Int32]>([:])

    func add(_ descriptor: Int32, as index: Int) {
        self.descriptors.withLock { $0[index] = descriptor }
    }

    /// Removes a descriptor.
    ///
    /// Call this before the descriptor is closed.
    func remove(_ index: Int) {
        self.descriptors.withLock { $0[index] = nil }
    }

    /// Closes the write side of all connections.
    func finishSending() {
        self.shutDown(Int32(SHUT_WR))
    }

    /// Shuts down all connections at once, without reading the remaining data.
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
