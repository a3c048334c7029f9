internal import CLinux
import Glibc
import NIOCore

/// A set of sockets watched with epoll(7).
///
/// Each socket is reported once, and then again only after it is rearmed (`EPOLLONESHOT`).
final class EpollSet: Sendable {
    private let descriptor: CInt
    /// The eventfd that ends all waits.
    private let end: CInt

    private static let endToken = UInt64.max
    private static let eventsAtOnce = 128

    /// Creates an empty set.
    ///
    /// - Throws: `IOError` if no file descriptor is available.
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

    /// Starts watching a socket for incoming bytes, the end of input, and errors.
    ///
    /// Events that are already pending are reported too.
    ///
    /// - Returns: Whether the socket could be added; `false` if the kernel lacks resources.
    func add(_ socket: CInt, as token: UInt64) -> Bool {
        self.control(EPOLL_CTL_ADD, socket, Self.once, token)
    }

    /// Rearms a socket after it has been reported.
    ///
    /// - Returns: Whether the socket could be rearmed.
    func rearm(_ socket: CInt, as token: UInt64) -> Bool {
        self.control(EPOLL_CTL_MOD, socket, Self.once, token)
    }

    /// Removes a socket; closed sockets are removed automatically.
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

    /// Blocks until a socket is reported or the timeout expires.
    ///
    /// - Returns: The tokens of the reported sockets, or `nil` once `stop()` has been called.
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

    /// Ends the current wait and all later waits.
    func stop() {
        _ = eventfd_write(self.end, 1)
    }
}
