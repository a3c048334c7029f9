import NIOCore
import NIOSSL
import NIOTLS

/// A handler that reports the result of a TLS handshake and the selected protocol.
///
/// The handler then removes itself.
final class HandshakeWaiter: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let name: String?
    private let timeout: TimeAmount
    private var promise: EventLoopPromise<String?>?
    private var timer: Scheduled<Void>?

    /// Creates a handler.
    ///
    /// `name` is the name that the certificate must be valid for. `timeout` includes the time for
    /// opening the TCP connection.
    init(_ promise: EventLoopPromise<String?>, name: String?, timeout: TimeAmount) {
        self.promise = promise
        self.name = name
        self.timeout = timeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let timeout = self.timeout
        self.timer = context.eventLoop.assumeIsolated().scheduleTask(in: timeout) {
            self.end(context, .failure(ChannelError.connectTimeout(timeout)))
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.end(context, .failure(ChannelError.eof))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let agreed)? = event as? TLSUserEvent {
            let checked = Result { try self.checkName(in: context.pipeline) }
            self.end(context, checked.map { agreed })
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Checks that the certificate is valid for the name.
    ///
    /// NIOSSL alone would also accept a certificate for the connection's IP address.
    private func checkName(in pipeline: ChannelPipeline) throws {
        guard let name = self.name else { return }
        let tls = try pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        let names = tls.peerCertificate?.dnsNames ?? []
        guard names.contains(where: { CertificateName($0).covers(name) }) else {
            throw UpstreamTLS.Failure(description: "the certificate is not valid for \(name)")
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.end(context, .failure(error))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(context, .failure(ChannelError.eof))
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext, _ result: Result<String?, any Error>) {
        self.timer?.cancel()
        self.timer = nil
        guard let promise = self.promise.take() else { return }
        if case .failure = result {
            context.close(promise: nil)
        } else {
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        promise.completeWith(result)
    }
}

@available(*, unavailable)
extension HandshakeWaiter: Sendable {}

extension UpstreamTLS {
    /// Creates the handlers that encrypt a channel and report the result of the handshake.
    func makeHandlers(
        host: String,
        offering offer: UpstreamProtocol,
        promise: EventLoopPromise<String?>,
        timeout: TimeAmount
    ) throws -> (NIOSSLClientHandler, HandshakeWaiter) {
        guard let context = self.contexts[offer] else {
            throw Failure(description: "no TLS context offers \(offer.names)")
        }
        // An address cannot be sent as a server name (RFC 6066 section 3); NIOSSL then looks for
        // the address in the certificate.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        let name = isAddress ? nil : host
        return (
            try NIOSSLClientHandler(context: context, serverHostname: name),
            HandshakeWaiter(promise, name: name, timeout: timeout)
        )
    }
}

/// A DNS name in a certificate; its first label may be `*`.
struct CertificateName {
    private let labels: [Substring]

    init(_ text: String) {
        self.labels = Self.labels(of: text)
    }

    /// Returns whether the name matches a host (RFC 9525 section 6.3).
    func covers(_ host: String) -> Bool {
        let wanted = Self.labels(of: host.hasSuffix(".") ? String(host.dropLast()) : host)
        guard wanted.count == self.labels.count, !wanted.contains("") else { return false }
        // A `*` matches exactly one label, the first, of a name with at least three labels.
        guard self.labels.first == "*", wanted.count > 2 else { return wanted == self.labels }
        return wanted.dropFirst() == self.labels.dropFirst()
    }

    private static func labels(of text: String) -> [Substring] {
        text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    }
}
