import GatePolicy
import Glibc
import NIOCore
internal import NIOSSL

/// Everything that a TLS handshake needs, read once and replaced whole.
package struct ServerTLS: Sendable {
    let context: NIOSSLContext
    /// The second at which the first of the certificates expires.
    package let expiry: Int
    /// The file of that certificate.
    private let expiringFile: String

    /// HTTP/2 where the client knows it (RFC 9113 3.2).
    private static let applicationProtocols = ["h2", "http/1.1"]

    /// Reads the files; blocks.
    ///
    /// - Throws: the first file that cannot be used.
    package init(_ files: TLSFiles) throws(TLSFileError) {
        let authorities: [NIOSSLCertificate]?
        if let file = files.clientAuthorities {
            authorities = try Self.certificates(file)
        } else {
            authorities = nil
        }
        let first = try Identity(files.first)
        var configuration = Self.configuration(first, authorities: authorities)
        _ = try first.context(configuration)
        var earliest = first
        var names = ServerNames<NIOSSLContextConfigurationOverride>()
        for name in first.names { names.add(name, .noChanges) }
        for pair in files.others {
            let identity = try Identity(pair)
            // A key of another certificate is found here, not by the first client that wants it.
            _ = try identity.context(Self.configuration(identity, authorities: authorities))
            for name in identity.names { names.add(name, identity.override) }
            if identity.expiry < earliest.expiry { earliest = identity }
        }
        if !files.others.isEmpty {
            let names = names
            configuration.sslContextCallback = { client, choice in
                choice.succeed(client.serverHostname.flatMap { names[$0] } ?? .noChanges)
            }
        }
        self.context = try first.context(configuration)
        self.expiry = earliest.expiry
        self.expiringFile = earliest.files.certificates
    }

    /// How long before the end of a certificate somebody is to hear of it: Let's Encrypt renews thirty
    /// days before, so that renewing has failed for long.
    private static let renewalTime = 14 * 86_400

    /// The warning about the end of the certificates at a second since 1970; `nil` if that is far.
    package func remark(at now: Int) -> String? {
        Self.remark(onExpiry: self.expiry, of: self.expiringFile, at: now)
    }

    static func remark(onExpiry expiry: Int, of file: String, at now: Int) -> String? {
        let date = Timestamp(secondsSinceEpoch: Int64(expiry))
        if expiry <= now {
            return "the certificate in \(file) expired at \(date): clients refuse it; renew it"
        }
        guard expiry - now < Self.renewalTime else { return nil }
        return "the certificate in \(file) expires at \(date): renew it"
    }

    private static func configuration(
        _ identity: Identity,
        authorities: [NIOSSLCertificate]?
    ) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: identity.chain,
            privateKey: .privateKey(identity.key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = self.applicationProtocols
        // A client that has heard the end need not say that it has.
        configuration.shutdownTimeout = .seconds(1)
        if let authorities {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(authorities)
            configuration.sendCANameList = true
        }
        return configuration
    }

    static func certificates(_ file: String) throws(TLSFileError) -> [NIOSSLCertificate] {
        let bytes = try FileContent.read(file)
        let certificates = try? NIOSSLCertificate.fromPEMBytes(bytes)
        guard let certificates, !certificates.isEmpty else {
            throw TLSFileError(file: file, reason: "holds no certificate in PEM form")
        }
        return certificates
    }
}

extension ServerTLS {
    /// A certificate that belongs to its key.
    private struct Identity {
        let files: TLSFiles.Pair
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKey
        /// The names that the certificate is for.
        let names: [String]
        let expiry: Int

        init(_ files: TLSFiles.Pair) throws(TLSFileError) {
            let certificates = try ServerTLS.certificates(files.certificates)
            let keyBytes = try FileContent.read(files.key)
            guard let key = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem) else {
                throw TLSFileError(
                    file: files.key,
                    reason: "holds no private key in PEM form, or one with a passphrase"
                )
            }
            self.files = files
            self.chain = certificates.map { .certificate($0) }
            self.key = key
            self.names = certificates.first.map(Self.names) ?? []
            self.expiry = certificates.first.map { Int($0.notValidAfter) } ?? 0
        }

        var override: NIOSSLContextConfigurationOverride {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = self.chain
            override.privateKey = .privateKey(self.key)
            return override
        }

        func context(_ configuration: TLSConfiguration) throws(TLSFileError) -> NIOSSLContext {
            do {
                return try NIOSSLContext(configuration: configuration)
            } catch {
                throw TLSFileError(
                    file: self.files.key,
                    reason: "is not the key of \(self.files.certificates) (\(error))"
                )
            }
        }

        private static func names(_ certificate: NIOSSLCertificate) -> [String] {
            certificate._subjectAlternativeNames().compactMap { name in
                guard name.nameType == .dnsName else { return nil }
                return String(decoding: name.contents, as: UTF8.self)
            }
        }
    }
}

/// Reads small files whole.
enum FileContent {
    /// Keys and certificates are a few kilobytes; a bundle of all public authorities is 250.
    private static let limit = 4 * 1024 * 1024

    /// - Throws: what the system says, or that the file is too large to be what it should be.
    static func read(_ path: String) throws(TLSFileError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.systemError(path) }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw self.systemError(path) }
            guard count > 0 else { return content }
            content += buffer[..<count]
            guard content.count <= self.limit else {
                throw TLSFileError(file: path, reason: "is too large")
            }
        }
    }

    private static func systemError(_ path: String) -> TLSFileError {
        TLSFileError(file: path, reason: unsafe String(cString: strerror(errno)))
    }
}

/// Finds what a server name stands for: exact names, and wildcards for one label (RFC 6125 6.4.3).
struct ServerNames<Value: Sendable>: Sendable {
    private var exact: [String: Value] = [:]
    /// By what follows the asterisk and its dot.
    private var wildcards: [String: Value] = [:]

    /// Adds a name of a certificate; the first value of a name stays.
    mutating func add(_ name: String, _ value: Value) {
        let name = Self.normalized(name)
        if name.hasPrefix("*.") {
            let parent = String(name.dropFirst(2))
            self.wildcards[parent] = self.wildcards[parent] ?? value
        } else {
            self.exact[name] = self.exact[name] ?? value
        }
    }

    /// The value for a name as a client asks for it; an exact name outranks a wildcard.
    subscript(name: String) -> Value? {
        let name = Self.normalized(name)
        if let value = self.exact[name] { return value }
        guard let dot = name.firstIndex(of: "."), dot > name.startIndex else { return nil }
        return self.wildcards[String(name[name.index(after: dot)...])]
    }

    private static func normalized(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
