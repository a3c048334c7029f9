import Glibc

/// Tells the service manager how the gate is, as `sd_notify` does: datagrams to the Unix socket that
/// `NOTIFY_SOCKET` names.
///
/// sd_notify(3). Without a manager it says nothing to nobody; a manager that cannot be reached is no
/// reason to stop serving.
struct ServiceManager: Sendable {
    /// The states that the service manager is told of.
    enum State: Equatable, Sendable {
        case ready
        case reloading(monotonicMicroseconds: UInt64)
        case stopping
        case alive
        case status(String)

        /// The line of the protocol.
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
    /// How often the manager wants to hear that the gate is alive, if it does.
    let watchdogInterval: Duration?

    /// Finds it, or `nil` if there is none that can be told.
    ///
    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` are read.
    ///   - processIdentifier: the gate's own.
    init?(environment: [String: String], processIdentifier: Int32) {
        guard let name = environment["NOTIFY_SOCKET"] else { return nil }
        var path = Array(name.utf8)
        switch path.first {
        case UInt8(ascii: "/"): break
        // An abstract name begins with a zero byte.
        case UInt8(ascii: "@"): path[0] = 0
        default: return nil
        }
        guard path.count > 1, path.count <= Self.longestPath else { return nil }
        self.path = path
        self.watchdogInterval = Self.watchdogInterval(environment, processIdentifier)
    }

    private static func watchdogInterval(
        _ environment: [String: String],
        _ processIdentifier: Int32
    ) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }),
            microseconds > 0
        else { return nil }
        if let addressee = environment["WATCHDOG_PID"], addressee != "\(processIdentifier)" {
            return nil
        }
        return .microseconds(microseconds)
    }

    /// One byte of `sun_path` stays zero.
    private static let longestPath = 107

    /// Says all of this at once.
    ///
    /// - Returns: whether the manager's socket took it.
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

    /// The time that `RELOADING=1` is stamped with.
    static func monotonicMicroseconds() -> UInt64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
    }
}
