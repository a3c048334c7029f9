/// Reads who a client is from the places that a rules file names.
///
/// Headers speak first, for each part on its own; the query speaks for the parts that no header
/// speaks for. Only a client with no version in either place is looked up by its User-Agent.
struct IdentityReader: Sendable {
    static let userAgent = "user-agent"

    let sources: IdentitySources

    /// Every header field that is looked at, lower case and without repetition.
    let headerNames: [String]
    let queryNames: Set<String>

    init(_ sources: IdentitySources) {
        var sources = sources
        sources.headers = sources.headers.mapValues { $0.map { $0.lowercased() } }
        sources.query = sources.query.mapValues { $0.lowercased() }
        self.sources = sources
        var names = IdentityPart.allCases.flatMap { sources.headers[$0] ?? [] }
        if !sources.userAgents.isEmpty { names.append(Self.userAgent) }
        self.headerNames = Self.unique(names)
        self.queryNames = Set(IdentityPart.allCases.compactMap { sources.query[$0] })
    }

    private static func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    func identify(_ claims: IdentityClaims) -> ClientIdentity {
        var values: [IdentityPart: [StatedValue]] = [:]
        for part in IdentityPart.allCases where part != .languages {
            values[part] = self.values(of: part, in: claims)
        }
        // A version header without a value says nothing, and counts as none.
        if values[.version, default: []].isEmpty {
            for (part, spoken) in self.userAgentValues(in: claims)
            where values[part, default: []].isEmpty {
                values[part] = spoken
            }
        }
        let versions = values[.version, default: []].map { VersionStatement($0) }
        let platforms = values[.platform, default: []].map(\.platform)
        let builds = values[.build, default: []].map(\.build)
        func name(_ part: IdentityPart) -> Claim<String> {
            Claim(merging: values[part, default: []].map(\.name))
        }
        return ClientIdentity(
            app: name(.app),
            platform: Claim(merging: platforms + versions.map(\.platform)),
            version: Claim(merging: versions.map(\.version)),
            build: Claim(merging: builds + versions.map(\.build)),
            channel: Claim(
                merging: values[.channel, default: []].map { $0.name.map { $0.lowercased() } }
            ),
            osVersion: Claim(merging: values[.osVersion, default: []].map(\.version)),
            device: name(.device),
            languages: self.languages(in: claims),
            country: Claim(merging: values[.country, default: []].map(\.country)),
            storefront: Claim(merging: values[.storefront, default: []].map(\.storefront))
        )
    }

    /// The header lines of a part, whichever of its names they have.
    func lines(of part: IdentityPart, in claims: IdentityClaims) -> [IdentityClaims.Line] {
        let names = self.names(of: part)
        return claims.headers.filter { names.contains($0.name) }
    }

    /// The header fields that speak for a part.
    func names(of part: IdentityPart) -> [String] {
        self.sources.headers[part, default: []]
    }

    private func values(of part: IdentityPart, in claims: IdentityClaims) -> [StatedValue] {
        let spoken = self.lines(of: part, in: claims).flatMap { StatedValue.list($0.value) }
        guard spoken.isEmpty else { return spoken }
        return self.parameters(of: part, in: claims).flatMap { StatedValue.list($0) }
    }

    private func parameters(of part: IdentityPart, in claims: IdentityClaims) -> [String] {
        guard let name = self.sources.query[part] else { return [] }
        return claims.query.filter { $0.name == name }.map { PercentEncoding.decode($0.value) }
    }

    private func userAgentValues(in claims: IdentityClaims) -> [IdentityPart: [StatedValue]] {
        var values: [IdentityPart: [StatedValue]] = [:]
        for line in claims.headers where line.name == Self.userAgent {
            let matches = self.sources.userAgents.lazy.compactMap { $0.match(line.value) }
            guard let match = matches.first else { continue }
            for (field, text) in match {
                // A comma here is part of a product's comment, not a list of values.
                let value = StatedValue(text: text.trimmingBlanks)
                if !value.text.isEmpty { values[field.part, default: []].append(value) }
            }
        }
        return values
    }

    private func languages(in claims: IdentityClaims) -> [LanguageRange] {
        let fields = self.lines(of: .languages, in: claims).map(\.value)
        guard fields.allSatisfy({ $0.isEmpty }) else { return LanguageRange.list(parsing: fields) }
        return LanguageRange.list(parsing: self.parameters(of: .languages, in: claims))
    }
}
