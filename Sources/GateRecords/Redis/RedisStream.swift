private import CCurl
internal import GateSystem
private import Glibc

/// The byte stream of a connection to Redis or Valkey, with or without TLS, for one thread at a
/// time.
///
/// libcurl resolves the name, connects and performs the TLS handshake, with a timeout and with the
/// certificate checks that feeds use. No HTTP is sent.
@safe
final class RedisStream {
    private static let pieceSize = 16_384

    private let easy: EasyHandle
    private let socket: CInt
    /// The timeout of each step in milliseconds.
    private let patience: CInt

    /// Connects to the server.
    ///
    /// - Parameters:
    ///   - place: The address and the TLS settings.
    ///   - patience: The timeout in seconds for connecting, and for each later step.
    /// - Throws: The reason why the connection could not be established.
    init(_ place: RedisServerSettings, patience: Int) throws(RedisConnection.Failure) {
        self.patience = CInt(patience * 1_000)
        do throws(FetchFailure) {
            let easy = try EasyHandle()
            self.easy = easy
            let address = place.address
            try easy.set(CURLOPT_URL, "\(address.isSecure ? "https" : "http")://\(address.place)/")
            try easy.set(CURLOPT_CONNECT_ONLY, 1)
            // The proxies in the environment variables are for HTTP, not for Redis.
            try easy.set(CURLOPT_PROXY, "")
            // libcurl must not install signal handlers, which affect the whole process.
            try easy.set(CURLOPT_NOSIGNAL, 1)
            try easy.set(CURLOPT_CONNECTTIMEOUT_MS, Int(self.patience))
            // With ALPN, libcurl would offer HTTP.
            try easy.set(CURLOPT_SSL_ENABLE_ALPN, 0)
            try easy.secure(place.trust, showing: place.certificate)
            let code = BrokenPipe.ignored { unsafe curl_easy_perform(easy.pointer) }
            guard code == CURLE_OK else {
                throw FetchFailure(code, after: .connecting, verification: easy.verification)
            }
            var socket = curl_socket_t(-1)
            try EasyHandle.check(
                unsafe gate_easy_get_socket(easy.pointer, CURLINFO_ACTIVESOCKET, &socket)
            )
            self.socket = socket
        } catch {
            // A server without TLS treats the handshake as an incomplete command, and does not
            // reply.
            let isPlain = error == .connectTimeout && place.address.isSecure
            let hint = isPlain ? "; the port might not support TLS" : ""
            throw RedisConnection.Failure(description: "\(error)\(hint)")
        }
    }

    /// Sends bytes, and waits until all of them are in the socket's buffer.
    func send(_ bytes: [UInt8]) throws(RedisConnection.Failure) {
        var start = 0
        while start < bytes.count {
            var count = 0
            let code = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
                return BrokenPipe.ignored {
                    unsafe curl_easy_send(self.easy.pointer, rest.baseAddress, rest.count, &count)
                }
            }
            if try self.isDone(code, waitingFor: POLLOUT) { start += count }
        }
    }

    /// Returns the next bytes that the server sends, at least one byte.
    func receive() throws(RedisConnection.Failure) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: Self.pieceSize)
        while true {
            var count = 0
            let code = unsafe piece.withUnsafeMutableBytes { bytes in
                BrokenPipe.ignored {
                    unsafe curl_easy_recv(self.easy.pointer, bytes.baseAddress, bytes.count, &count)
                }
            }
            guard try self.isDone(code, waitingFor: POLLIN) else { continue }
            guard count > 0 else { throw Self.ended }
            return Array(piece.prefix(count))
        }
    }

    private static let ended = RedisConnection.Failure(description: "the connection was closed")

    /// Returns whether a step is complete; if it is not, waits until the socket is ready.
    private func isDone(
        _ code: CURLcode,
        waitingFor events: CInt
    ) throws(RedisConnection.Failure) -> Bool {
        switch code {
        case CURLE_OK: return true
        case CURLE_AGAIN:
            var wanted = pollfd(fd: self.socket, events: Int16(events), revents: 0)
            let found = unsafe poll(&wanted, 1, self.patience)
            guard found != 0 else {
                throw RedisConnection.Failure(description: "the reply timed out")
            }
            return false
        // In TLS 1.3, the server can reject a client certificate after the handshake.
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: throw Self.ended
        default:
            throw RedisConnection.Failure(
                description: unsafe String(cString: curl_easy_strerror(code))
            )
        }
    }
}

/// Blocks SIGPIPE: a write to a closed connection must fail with an error instead of ending the
/// process.
private enum BrokenPipe {
    /// Runs a closure that may write to a connection that the peer has closed, with SIGPIPE
    /// blocked.
    static func ignored(_ body: () -> CURLcode) -> CURLcode {
        let former = Self.block()
        defer { Self.unblock(former) }
        return body()
    }

    private static func block() -> sigset_t {
        var (signals, former) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &former)
        return former
    }

    private static func unblock(_ former: sigset_t) {
        var (former, pipe) = (former, sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        var now = timespec()
        // A pending signal would be delivered once SIGPIPE is unblocked.
        while unsafe sigtimedwait(&pipe, nil, &now) > 0 {}
        unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    }
}
