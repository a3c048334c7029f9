import GateProxy

extension TLSFiles {
    /// The files that the settings name; `nil` if they name none.
    ///
    /// - Throws: if certificates and keys do not go in pairs.
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
