import Glibc

/// A TCP connection on 127.0.0.1.
///
/// Each call blocks at most until its deadline.
///
/// It belongs to one thread and closes when it is released.
package final class LoopbackSocket {
    package enum Received {
        case bytes([UInt8])
        case ended(StreamEnding)
    }

    private var descriptor: Int32?

    /// Takes ownership of a connected descriptor.
    package init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        unsafe _ = setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &on,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Connects to a port on 127.0.0.1.
    ///
    /// With a small receive buffer, a slow reader causes back pressure early.
    package convenience init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HarnessError("socket: errno \(errno)") }
        if var size = receiveBuffer {
            unsafe _ = setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_RCVBUF,
                &size,
                socklen_t(MemoryLayout<Int32>.size)
            )
        }
        var address = sockaddr_in.loopback(port: port)
        let status = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let reason = errno
            _ = Glibc.close(descriptor)
            throw HarnessError("connect to port \(port): errno \(reason)")
        }
        self.init(adopting: descriptor)
    }

    deinit {
        self.close()
    }

    /// Sends all bytes; returns `false` if the peer has closed.
    package func send(_ bytes: [UInt8], by deadline: Deadline = .usual) throws -> Bool {
        var sent = 0
        while sent < bytes.count {
            guard let count = try self.sendSome(of: bytes, from: sent, by: deadline) else {
                return false
            }
            sent += count
        }
        return true
    }

    /// Waits for space until the deadline, and sends as many bytes as the socket accepts at once.
    ///
    /// Returns `nil` if the peer has closed.
    package func sendSome(of bytes: [UInt8], from start: Int, by deadline: Deadline) throws -> Int?
    {
        guard let descriptor = self.descriptor else { return nil }
        while true {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
                return unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
            }
            if count >= 0 {
                return count
            }
            guard errno == EAGAIN || errno == EINTR else { return nil }
            try self.awaitReadiness(POLLOUT, by: deadline, to: "send")
        }
    }

    /// Receives the next bytes, or how the peer ended the connection.
    package func receive(upTo limit: Int = 65_536, by deadline: Deadline) throws -> Received {
        guard let descriptor = self.descriptor else { return .ended(.closed) }
        try self.awaitReadiness(POLLIN, by: deadline, to: "receive")
        var reason: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let received = unsafe recv(descriptor, buffer.baseAddress, limit, 0)
            reason = received < 0 ? errno : 0
            count = max(0, received)
        }
        if !bytes.isEmpty {
            return .bytes(bytes)
        }
        return .ended(reason == 0 ? .closed : .reset)
    }

    /// Closes the write side; the read side remains open.
    package func finishSending() {
        if let descriptor = self.descriptor {
            _ = shutdown(descriptor, Int32(SHUT_WR))
        }
    }

    /// Discards what has arrived, so that a `close()` afterwards sends FIN: Linux sends RST if bytes are unread.
    package func discardReceived() {
        guard let descriptor = self.descriptor else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
    }

    package func close() {
        if let descriptor = self.descriptor {
            _ = Glibc.close(descriptor)
        }
        self.descriptor = nil
    }

    /// Closes with RST instead of FIN.
    package func reset() {
        if let descriptor = self.descriptor {
            var linger = linger(l_onoff: 1, l_linger: 0)
            let size = socklen_t(MemoryLayout.size(ofValue: linger))
            unsafe _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
        }
        self.close()
    }

    private func awaitReadiness(_ events: Int32, by deadline: Deadline, to what: String) throws {
        guard let descriptor = self.descriptor else { return }
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let ready = unsafe poll(&entry, 1, deadline.milliseconds)
            if ready > 0 {
                return
            }
            guard !deadline.hasPassed else { throw HarnessError.timedOut("to \(what)") }
        }
    }
}

extension sockaddr_in {
    /// Returns the socket address of a port on 127.0.0.1.
    ///
    /// Port 0 selects a free one.
    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
