import Foundation
import Glibc
import Synchronization

/// Listens on a port of 127.0.0.1 or on a Unix socket, and hands over its connections, each on a thread of its own or
/// one after the other.
package final class LoopbackListener: Sendable {
    /// The port; 0 for a Unix socket.
    package let port: UInt16
    /// The listening socket, until the accepting thread has ended.
    ///
    /// Only that thread closes it.
    private let descriptor: Mutex<Int32?>
    /// A socket that is bound to the same port but never listens; `nil` for a Unix socket.
    ///
    /// Without it, the system could give a stopped listener's port to the next process that needs a free one, such as
    /// the gate that is supposed to find the port closed.
    private let placeholder: Int32?

    /// Starts listening.
    ///
    /// `onConnection` takes ownership of its descriptor.
    ///
    /// Port 0 selects a free one. With `inOrder`, a connection is accepted only after
    /// `onConnection` has returned for the previous one.
    package convenience init(
        port: UInt16 = 0,
        inOrder: Bool = false,
        onConnection: @escaping @Sendable (Int32) -> Void
    ) throws {
        let placeholder = try Self.bound(to: port)
        let port = try Self.port(of: placeholder)
        try self.init(
            listening: Self.listen(port: port),
            placeholder: placeholder,
            port: port,
            inOrder: inOrder,
            onConnection: onConnection
        )
    }

    /// Starts listening on a Unix socket.
    package convenience init(
        unixSocket path: String,
        inOrder: Bool = false,
        onConnection: @escaping @Sendable (Int32) -> Void
    ) throws {
        let descriptor = try Self.listen(unixSocket: path)
        try self.init(
            listening: descriptor,
            placeholder: nil,
            port: 0,
            inOrder: inOrder,
            onConnection: onConnection
        )
    }

    private init(
        listening descriptor: Int32,
        placeholder: Int32?,
        port: UInt16,
        inOrder: Bool,
        onConnection: @escaping @Sendable (Int32) -> Void
    ) throws {
        self.port = port
        self.placeholder = placeholder
        self.descriptor = Mutex(descriptor)
        Thread.detachNewThread { [self] in
            while let connection = Self.accept(from: descriptor) {
                if inOrder {
                    onConnection(connection)
                } else {
                    Thread.detachNewThread { onConnection(connection) }
                }
            }
            self.descriptor.withLock { open in
                _ = close(descriptor)
                open = nil
            }
        }
    }

    deinit {
        if let placeholder { _ = close(placeholder) }
    }

    /// Refuses new connections from now on; open connections remain open.
    package func stop() {
        self.descriptor.withLock { descriptor in
            if let descriptor {
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    private static func listen(unixSocket path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            unsafe buffer.copyBytes(from: name.prefix(buffer.count - 1))
        }
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, Glibc.listen(descriptor, 512) == 0 else {
            let reason = errno
            _ = close(descriptor)
            throw HarnessError("listen on \(path): errno \(reason)")
        }
        return descriptor
    }

    /// Returns a listening socket whose connections nothing accepts yet; port 0 selects a free one.
    package static func listen(port: UInt16 = 0) throws -> Int32 {
        let descriptor = try Self.bound(to: port)
        guard Glibc.listen(descriptor, 512) == 0 else {
            let reason = errno
            _ = close(descriptor)
            throw HarnessError("listen: errno \(reason)")
        }
        return descriptor
    }

    private static func bound(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        unsafe _ = setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_REUSEADDR,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
        var address = sockaddr_in.loopback(port: port)
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else {
            let reason = errno
            _ = close(descriptor)
            throw HarnessError("bind: errno \(reason)")
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
