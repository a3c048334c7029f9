import Foundation
import Glibc
import Synchronization

/// Listens on a free port of 127.0.0.1 and hands each connection to a thread of its own.
package final class LoopbackListener: Sendable {
    package let port: UInt16
    /// Open until the accepting thread has ended; that thread alone closes it.
    private let descriptor: Mutex<Int32?>

    /// Starts to listen; `onConnection` takes over the descriptor that it is given.
    package init(onConnection: @escaping @Sendable (Int32) -> Void) throws {
        let descriptor = try Self.listen()
        self.port = try Self.port(of: descriptor)
        self.descriptor = Mutex(descriptor)
        Thread.detachNewThread { [self] in
            while let connection = Self.accept(from: descriptor) {
                Thread.detachNewThread { onConnection(connection) }
            }
            self.descriptor.withLock { open in
                _ = close(descriptor)
                open = nil
            }
        }
    }

    /// Refuses new connections from now on; those that are open stay.
    package func stop() {
        self.descriptor.withLock { descriptor in
            if let descriptor {
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// A socket that listens on a free port and that nobody accepts from yet.
    package static func listen() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in.loopback(port: 0)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, Glibc.listen(descriptor, 512) == 0 else {
            let reason = errno
            _ = close(descriptor)
            throw HarnessError("listen: errno \(reason)")
        }
        return descriptor
    }

    package static func port(of descriptor: Int32) throws -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(descriptor, address, &size)
            }
        }
        guard status == 0 else { throw HarnessError("getsockname: errno \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func accept(from listener: Int32) -> Int32? {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                return descriptor
            }
            guard errno == EINTR || errno == ECONNABORTED else { return nil }
        }
    }
}
