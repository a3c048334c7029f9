internal import CCurl

/// The certificate authorities that are trusted to issue the certificates of sources.
package struct TrustedAuthorities: Sendable {
    /// The reason why a file of CA certificates cannot be used.
    package enum Failure: Error, CustomStringConvertible {
        case unreadable(String)
        case noCertificate

        package var description: String {
            switch self {
            case .unreadable(let reason): reason
            case .noCertificate: "the file contains no certificate in PEM format"
            }
        }
    }

    private static let maximumSize = 4 << 20

    /// All CA certificates in PEM format; `nil` means libcurl's default.
    let certificates: [UInt8]?

    /// The system's CA certificates.
    package static let system = TrustedAuthorities(certificates: nil)

    private init(certificates: [UInt8]?) {
        self.certificates = certificates
    }

    /// Loads the system's CA certificates plus those in a PEM file.
    package init(adding path: String) throws(Failure) {
        let added: [UInt8]
        do {
            added = try FileContent(path: path, atMost: Self.maximumSize).bytes
        } catch {
            throw .unreadable("\(error)")
        }
        guard String(decoding: added, as: UTF8.self).contains("-----BEGIN CERTIFICATE-----") else {
            throw .noCertificate
        }
        self.certificates = added + [UInt8(ascii: "\n")] + Self.systemCertificates
    }

    /// The content of libcurl's default CA file.
    ///
    /// libcurl's default CA directory remains in use and need not be read here.
    private static var systemCertificates: [UInt8] {
        guard let name = unsafe gate_authorities_file() else { return [] }
        let path = unsafe String(cString: name)
        return (try? FileContent(path: path, atMost: Self.maximumSize).bytes) ?? []
    }
}
