internal import CCurl

/// The authorities that may vouch for a source.
package struct TrustedAuthorities: Sendable {
    /// Why a file of authorities is of no use.
    package enum Failure: Error, CustomStringConvertible {
        case unreadable(String)
        case noCertificate

        package var description: String {
            switch self {
            case .unreadable(let reason): reason
            case .noCertificate: "the file has no certificate in PEM form"
            }
        }
    }

    private static let maximumSize = 4 << 20

    /// All certificates in PEM form; `nil`: what libcurl trusts by itself.
    let certificates: [UInt8]?

    /// Those whom the system trusts.
    package static let system = TrustedAuthorities(certificates: nil)

    private init(certificates: [UInt8]?) {
        self.certificates = certificates
    }

    /// Those whom the system trusts, and the authorities of a PEM file.
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

    /// The content of the file that libcurl was built to trust; a folder that it was built to
    /// trust, too, stays trusted whatever is set.
    private static var systemCertificates: [UInt8] {
        guard let name = unsafe gate_authorities_file() else { return [] }
        let path = unsafe String(cString: name)
        return (try? FileContent(path: path, atMost: Self.maximumSize).bytes) ?? []
    }
}
