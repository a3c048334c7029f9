import GatePolicy
import Glibc
import NIOCore
internal import NIOSSL

/// The certificates and keys of the listeners, loaded together and replaced together.
package struct ServerTLS: Sendable {
    let context: NIOSSLContext
    /// The earliest expiry time of all certificates, in seconds since 1970.
    package let expiry: Int
    /// The path of the certificate file that expires first.
    private let expiringFile: String

    /// The supported protocols, in order of preference (RFC 9113 section 3.2).
    private static let applicationProtocols = ["h2", "http/1.1"]

    /// Loads the files, blocking the thread.
    ///
    /// - Throws: The problem with the first file that cannot be used.
    package init(_ files: TLSFiles) throws(TLSFileError) {
        let authorities = try files.clientAuthorities.map(Self.certificates)
        let first = try Identity(files.first)
        var configuration = Self.configuration(first, authorities: authorities)
        _ = try first.context(configuration)
        var earliest = first
        var names = ServerNames<NIOSSLContextConfigurationOverride>()
        for name in first.names { names.add(name, .noChanges) }
        for pair in files.others {
            let identity = try Identity(pair)
            // Detects a mismatched key now rather than in the first handshake that uses it.
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

    /// The number of seconds before a certificate's expiry at which the warnings start.
    ///
    /// Let's Encrypt certificates are usually renewed thirty days before they expire, so by this
    /// time, renewal has been failing for more than two weeks.
    private static let renewalTime = 14 * 86_400

    /// Returns a warning if a certificate expires soon or has expired; `now` is in seconds since 1970.
    package func remark(at now: Int) -> String? {
        Self.remark(onExpiry: self.expiry, of: self.expiringFile, at: now)
    }

    static func remark(onExpiry expiry: Int, of file: String, at now: Int) -> String? {
        let date = Timestamp(secondsSinceEpoch: Int64(expiry))
        if expiry <= now {
            return "the certificate in \(file) expired at \(date): clients reject it; renew it"
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
        // The timeout is short, because clients need not respond to the close notification.
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
            throw TLSFileError(file: file, reason: "contains no certificate in PEM format")
        }
        return certificates
    }
}

extension ServerTLS {
    /// A certificate chain with its private key.
    private struct Identity {
        let files: TLSFiles.Pair
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKey
        /// The DNS names in the leaf certificate.
        let names: [String]
        let expiry: Int

        init(_ files: TLSFiles.Pair) throws(TLSFileError) {
            let certificates = try ServerTLS.certificates(files.certificates)
            let keyBytes = try FileContent.read(files.key)
            guard let key = try? NIOSSLPrivateKey(bytes: keyBytes, format: .pem) else {
                throw TLSFileError(
                    file: files.key,
                    reason: "contains no private key in PEM format, or the key has a passphrase"
                )
            }
            self.files = files
            self.chain = certificates.map { .certificate($0) }
            self.key = key
            self.names = certificates.first?.dnsNames ?? []
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
                    reason: "does not match the certificate in "
                        + "\(self.files.certificates) (\(error))"
                )
            }
        }
    }
}

extension NIOSSLCertificate {
    /// The DNS names that the certificate is valid for.
    var dnsNames: [String] {
        self._subjectAlternativeNames().compactMap { name in
            guard name.nameType == .dnsName else { return nil }
            return String(decoding: name.contents, as: UTF8.self)
        }
    }
}

/// A reader for small files.
enum FileContent {
    /// The maximum size of a file in bytes.
    ///
    /// Keys and certificates take up a few kilobytes, and a bundle of all public CA certificates
    /// takes up 250 KB.
    private static let limit = 4 * 1024 * 1024

    /// Returns the content of a file.
    ///
    /// - Throws: The system error, or an error if the file is too large.
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

/// A map whose keys are exact server names and single-label wildcards (RFC 6125 section 6.4.3).
struct ServerNames<Value: Sendable>: Sendable {
    private var exact: [String: Value] = [:]
    /// The values for wildcards, keyed by the name after `*.`.
    private var wildcards: [String: Value] = [:]

    /// Adds a value for a name from a certificate, unless the name already has one.
    mutating func add(_ name: String, _ value: Value) {
        let name = Self.normalized(name)
        if name.hasPrefix("*.") {
            let parent = String(name.dropFirst(2))
            self.wildcards[parent] = self.wildcards[parent] ?? value
        } else {
            self.exact[name] = self.exact[name] ?? value
        }
    }

    /// The value for a server name, with exact names taking precedence over wildcards.
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
