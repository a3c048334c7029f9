import GateWire
import NIOCore
import NIOSSL

/// The certificate verification for backends; no request is sent to a backend that fails it.
package struct UpstreamTLS: Sendable {
    /// The TLS contexts, keyed by the protocol to offer.
    let contexts: [UpstreamProtocol: NIOSSLContext]
    /// The name that the certificates of the default backends must contain; `nil` if it is their host name.
    let serverName: String?

    /// The reason why a certificate file cannot be used, or why verification is not possible.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Creates contexts for TLS 1.2 or later.
    ///
    /// The contexts trust the CA certificates in the PEM `file` or, if it is `nil`, those of the
    /// system. `protocols` are the protocols of the targets.
    ///
    /// - Throws: The reason why the file cannot be used.
    package init(
        authorities file: String? = nil,
        serverName: String? = nil,
        protocols: Set<UpstreamProtocol> = [.negotiated]
    ) throws(Failure) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // The timeout is short, because a backend might never send a close notification.
        configuration.shutdownTimeout = .seconds(1)
        if let file { configuration.trustRoots = .certificates(try Self.certificates(in: file)) }
        self.serverName = serverName
        var contexts: [UpstreamProtocol: NIOSSLContext] = [:]
        do {
            // A request with `Upgrade`, for example to WebSocket, needs HTTP/1.1.
            for offer in protocols.contains(.negotiated) ? protocols.union([.http1]) : protocols {
                configuration.applicationProtocols = offer.names
                contexts[offer] = try NIOSSLContext(configuration: configuration)
            }
        } catch {
            throw Failure(description: "\(error)")
        }
        self.contexts = contexts
    }

    private static func certificates(in file: String) throws(Failure) -> [NIOSSLCertificate] {
        do {
            return try NIOSSLCertificate.fromPEMFile(file)
        } catch {
            throw Failure(description: "the file does not exist, or contains no PEM certificate")
        }
    }

    /// Returns whether a name can be sent as a server name and verified.
    package static func isServerName(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count) && (try? SocketAddress(ipAddress: name, port: 0)) == nil
            && name.utf8.allSatisfy { byte in
                ASCII.isDigit(byte) || (0x61...0x7A).contains(ASCII.lowercased(byte))
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
