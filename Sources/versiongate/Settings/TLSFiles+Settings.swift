import GateProxy

extension TLSFiles {
    /// The files that the settings name; `nil` if they name none.
    ///
    /// - Throws: if certificates and keys do not go in pairs.
    init?(_ reader: SettingsReader) throws(SettingsError) {
        let certificates = try Self.paths(.tlsCertificate, reader)
        let keys = try Self.paths(.tlsKey, reader)
        let authorities = try reader.optional(.tlsClientCa, "a path") { $0.isEmpty ? nil : $0 }
        let pairs = zip(certificates, keys).map { Pair(certificates: $0, key: $1) }
        guard certificates.count == keys.count else {
            throw SettingsError(
                "\(Setting.tlsCertificate.flag) names \(certificates.count) files and "
                    + "\(Setting.tlsKey.flag) \(keys.count): give one key for each certificate"
            )
        }
        guard let first = pairs.first else {
            if authorities != nil { throw .missing(.tlsCertificate) }
            return nil
        }
        self.init(
            first: first,
            others: Array(pairs.dropFirst()),
            clientAuthorities: authorities
        )
    }

    private static func paths(
        _ setting: Setting,
        _ reader: SettingsReader
    ) throws(SettingsError) -> [String] {
        try reader.optional(setting, "paths, separated by commas") { text in
            let paths = text.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " } }
                .map { String($0.reversed().drop { $0 == " " }.reversed()) }
            return paths.contains("") ? nil : paths
        } ?? []
    }
}
