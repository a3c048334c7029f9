import GateProxy

extension TLSFiles {
    /// Creates the list of configured TLS files; `nil` if none are configured.
    ///
    /// - Throws: An error if the numbers of certificates and keys differ.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        let certificates = try reader.optional(\.tlsCertificate) ?? []
        let keys = try reader.optional(\.tlsKey) ?? []
        let authorities = try reader.optional(\.tlsClientCA)
        let pairs = zip(certificates, keys).map { Pair(certificates: $0, key: $1) }
        guard certificates.count == keys.count else {
            throw SettingsError(
                "\(Settings[\.tlsCertificate].name.flag) names \(certificates.count) files and "
                    + "\(Settings[\.tlsKey].name.flag) \(keys.count): give one key for each certificate"
            )
        }
        guard let first = pairs.first else {
            if authorities != nil { throw .missing(\.tlsCertificate) }
            return nil
        }
        self.init(
            first: first,
            others: Array(pairs.dropFirst()),
            clientAuthorities: authorities
        )
    }
}
