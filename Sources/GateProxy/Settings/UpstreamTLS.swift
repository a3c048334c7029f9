import GateWire
import NIOCore
import NIOSSL

/// How backends prove who they are; a backend that does not is not spoken to.
package struct UpstreamTLS: Sendable {
    /// By what is offered to the backend.
    let contexts: [UpstreamProtocol: NIOSSLContext]
    /// The name that the certificate must have; `nil`: the host of the backend.
    let serverName: String?

    /// Why a file of certificates cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// TLS 1.2 or later; trusts what the system trusts, or only what a file of PEM certificates says.
    ///
    /// `protocols`: what targets are spoken to in.
    /// - Throws: what is wrong with the file.
    package init(
        authorities file: String? = nil,
        serverName: String? = nil,
        protocols: Set<UpstreamProtocol> = [.negotiated]
    ) throws(Failure) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        // Nobody waits for a goodbye that does not come.
        configuration.shutdownTimeout = .seconds(1)
        if let file { configuration.trustRoots = .certificates(try Self.certificates(in: file)) }
        self.serverName = serverName
        var contexts: [UpstreamProtocol: NIOSSLContext] = [:]
        do {
            // A request that offers another protocol (WebSocket) needs HTTP/1.1.
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
            throw Failure(description: "there is no such file, or no PEM certificate in it")
        }
    }

    /// Whether a name can be asked for and verified.
    package static func isServerName(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count) && (try? SocketAddress(ipAddress: name, port: 0)) == nil
            && name.utf8.allSatisfy { byte in
                ASCII.isDigit(byte) || (0x61...0x7A).contains(ASCII.lowercased(byte))
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
