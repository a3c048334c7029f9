import Glibc

/// The socket of a service manager, which receives a service's notifications (sd_notify(3)).
package final class NotificationSocket: Sendable {
    private let descriptor: Int32
    /// The value of `NOTIFY_SOCKET` for the service.
    package let name: String

    /// Binds to a path, or to an abstract name that starts with `@`.
    package init(_ name: String) throws {
        self.name = name
        self.descriptor = socket(
            AF_UNIX,
            Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(self.descriptor, address, length)
            }
        }
        guard bound == 0 else { throw HarnessError("bind \(name): errno \(errno)") }
    }

    deinit {
        _ = close(self.descriptor)
    }

    /// Returns the lines of the next message; blocks until it arrives.
    package func message(by deadline: Deadline = .usual) throws -> [String] {
        guard let message = try self.messageIfAny(by: deadline) else {
            throw HarnessError.timedOut("a notification")
        }
        return message
    }

    /// Returns the lines of the next message; `nil` if none arrives in time.
    package func messageIfAny(by deadline: Deadline) throws -> [String]? {
        while true {
            var entry = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            if unsafe poll(&entry, 1, deadline.milliseconds) > 0 { break }
            if deadline.hasPassed { return nil }
        }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = unsafe Swift.max(0, recv(self.descriptor, buffer.baseAddress, 4096, 0))
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
