internal import CLinux
import Glibc
import NIOCore

/// A set of sockets, of each of which the kernel tells once that something has happened, and again
/// only when it is asked to (epoll(7), `EPOLLONESHOT`).
final class EpollSet: Sendable {
    private let descriptor: CInt
    /// Becomes readable when the set is to be watched no more.
    private let end: CInt

    private static let endToken = UInt64.max
    private static let eventsAtOnce = 128

    /// - Throws: `IOError` if no descriptor is left.
    init() throws {
        let descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "epoll_create1") }
        let end = eventfd(0, CInt(EFD_CLOEXEC))
        guard end >= 0 else {
            let code = errno
            _ = close(descriptor)
            throw IOError(errnoCode: code, reason: "eventfd")
        }
        self.descriptor = descriptor
        self.end = end
        _ = self.control(EPOLL_CTL_ADD, end, EPOLLIN.rawValue, Self.endToken)
    }

    deinit {
        _ = close(self.end)
        _ = close(self.descriptor)
    }

    /// Asks to be told when bytes, an end or an error come, or are there already.
    ///
    /// - Returns: whether the kernel had room for that.
    func add(_ socket: CInt, as token: UInt64) -> Bool {
        self.control(EPOLL_CTL_ADD, socket, Self.once, token)
    }

    /// Asks to be told again.
    func rearm(_ socket: CInt, as token: UInt64) -> Bool {
        self.control(EPOLL_CTL_MOD, socket, Self.once, token)
    }

    /// Forgets a socket; one that is closed is forgotten by itself.
    func remove(_ socket: CInt) {
        _ = self.control(EPOLL_CTL_DEL, socket, 0, 0)
    }

    private static var once: UInt32 {
        EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
    }

    private func control(_ operation: CInt, _ socket: CInt, _ events: UInt32, _ token: UInt64)
        -> Bool
    {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(u64: token))
        return unsafe epoll_ctl(self.descriptor, operation, socket, &event) == 0
    }

    /// Blocks until something happens or the time is over.
    ///
    /// - Returns: the tokens of the sockets on which it did; `nil` once `stop()` was called.
    func wait(atMost milliseconds: CInt) -> [UInt64]? {
        var tokens: [UInt64] = []
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) {
            events in
            let count = unsafe epoll_wait(
                self.descriptor,
                events.baseAddress,
                CInt(events.count),
                milliseconds
            )
            for index in 0..<Swift.max(0, Int(count)) {
                unsafe tokens.append(events[index].data.u64)
            }
        }
        return tokens.contains(Self.endToken) ? nil : tokens
    }

    /// Lets whoever waits go.
    func stop() {
        _ = eventfd_write(self.end, 1)
    }
}
