internal import CCurl

/// The certificate authorities that may have issued the certificate of a source.
package struct TrustedAuthorities: Sendable {
    /// The reason why a file of authorities cannot be used.
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

    /// All certificates in PEM format; `nil` for libcurl's default.
    let certificates: [UInt8]?

    /// The system's authorities.
    package static let system = TrustedAuthorities(certificates: nil)

    private init(certificates: [UInt8]?) {
        self.certificates = certificates
    }

    /// Loads the system's authorities plus those in a PEM file.
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

    /// The content of the authorities file that libcurl was built with.
    ///
    /// The authorities folder that libcurl was built with remains trusted regardless of this
    /// option.
    private static var systemCertificates: [UInt8] {
        guard let name = unsafe gate_authorities_file() else { return [] }
        let path = unsafe String(cString: name)
        return (try? FileContent(path: path, atMost: Self.maximumSize).bytes) ?? []
    }
}
