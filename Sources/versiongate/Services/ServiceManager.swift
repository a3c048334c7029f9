import Glibc

/// Notifies the service manager of the state of the gate, as `sd_notify` does.
///
/// Notifications are datagrams to the Unix socket in `NOTIFY_SOCKET`, see sd_notify(3). Without the
/// variable, there is no manager; if the socket cannot be reached, the gate continues to serve.
struct ServiceManager: Sendable {
    /// The states that are reported to the service manager.
    enum State: Equatable, Sendable {
        case ready
        case reloading(monotonicMicroseconds: UInt64)
        case stopping
        case alive
        case status(String)

        /// The lines of the state in the notification protocol.
        var line: String {
            switch self {
            case .ready: "READY=1"
            case .reloading(let now): "RELOADING=1\nMONOTONIC_USEC=\(now)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            case .status(let text): "STATUS=\(text.filter { !$0.isNewline })"
            }
        }
    }

    private let path: [UInt8]
    /// The interval at which the manager expects keep-alive notifications; `nil` if it expects
    /// none.
    let watchdogInterval: Duration?

    /// Creates a client for the service manager; returns `nil` unless `NOTIFY_SOCKET` is a supported address.
    ///
    /// - Parameters:
    ///   - environment: The environment; `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are
    ///     used.
    ///   - processIdentifier: The process ID of the gate.
    init?(environment: [String: String], processIdentifier: Int32) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        var path = Array(name.utf8)
        switch path.first {
        case UInt8(ascii: "/"): break
        // In an abstract socket address, the first byte is zero.
        case UInt8(ascii: "@"): path[0] = 0
        default: return nil
        }
        guard path.count > 1, path.count <= Self.longestPath else { return nil }
        self.path = path
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        let addressee = environment["WATCHDOG_PID"] ?? "\(processIdentifier)"
        let isExpected = microseconds > 0 && addressee == "\(processIdentifier)"
        self.watchdogInterval = isExpected ? .microseconds(microseconds) : nil
    }

    /// The maximum length of the socket path in bytes: the size of `sun_path` without the terminating zero byte.
    private static let longestPath = 107

    /// Sends the states in one datagram.
    ///
    /// - Returns: Whether the datagram was sent.
    @discardableResult
    func tell(_ states: State...) -> Bool {
        let message = Array(states.map(\.line).joined(separator: "\n").utf8)
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { _ = close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: self.path)
        }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + self.path.count)
        let sent = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe message.withUnsafeBytes { bytes in
                    unsafe sendto(
                        descriptor,
                        bytes.baseAddress,
                        bytes.count,
                        Int32(MSG_NOSIGNAL),
                        address,
                        length
                    )
                }
            }
        }
        return sent == message.count
    }

    /// The timestamp for `RELOADING=1`.
    static func monotonicMicroseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    }
}
