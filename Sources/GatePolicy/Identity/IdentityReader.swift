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
        var versionValues = self.values(of: .version, in: claims)
        // A version header without a value says nothing, and counts as none.
        let spoken = versionValues.isEmpty ? self.userAgentValues(in: claims) : [:]
        versionValues += spoken[.version] ?? []
        func values(_ part: IdentityPart) -> [StatedValue] {
            let values = self.values(of: part, in: claims)
            return values.isEmpty ? spoken[part] ?? [] : values
        }
        let versions = VersionStatement.merged(versionValues)
        func name(_ part: IdentityPart) -> Claim<String> {
            Claim(merging: values(part).lazy.map(\.name))
        }
        let channels = values(.channel).lazy.map { $0.name.map { $0.lowercased() } }
        return ClientIdentity(
            app: name(.app),
            platform: Claim(merging: values(.platform).map(\.platform) + versions.map(\.platform)),
            version: Claim(merging: versions.map(\.version)),
            build: Claim(merging: values(.build).map(\.build) + versions.map(\.build)),
            channel: Claim(merging: channels),
            osVersion: Claim(merging: values(.osVersion).lazy.map(\.version)),
            device: name(.device),
            languages: self.languages(in: claims),
            country: Claim(merging: values(.country).lazy.map(\.country)),
            storefront: Claim(merging: values(.storefront).lazy.map(\.storefront))
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
        let spoken = StatedValue.list(self.lines(of: part, in: claims))
        guard spoken.isEmpty else { return spoken }
        return StatedValue.list(self.parameters(of: part, in: claims))
    }

    private func parameters(
        of part: IdentityPart,
        in claims: IdentityClaims
    ) -> [IdentityClaims.Line] {
        guard !claims.query.isEmpty, let name = self.sources.query[part] else { return [] }
        return claims.query.filter { $0.name == name }.map { line in
            guard let value = line.value else { return line }
            return IdentityClaims.Line(name, PercentEncoding.decode(value))
        }
    }

    private func userAgentValues(in claims: IdentityClaims) -> [IdentityPart: [StatedValue]] {
        var values: [IdentityPart: [StatedValue]] = [:]
        for line in claims.headers where line.name == Self.userAgent {
            let matches = self.sources.userAgents.lazy.compactMap { pattern in
                line.value.flatMap { pattern.match($0) }
            }
            guard let match = matches.first else { continue }
            for (field, text) in match {
                // A comma here is part of a product's comment, not a list of values.
                let value = StatedValue(text: text.trimmingBlanks)
                if !value.text.isEmpty { values[field.part, default: []].append(value) }
            }
        }
        return values
    }

    private func languages(in claims: IdentityClaims) -> [String] {
        let fields = self.lines(of: .languages, in: claims).compactMap(\.value)
        guard fields.allSatisfy({ $0.isEmpty }) else { return fields }
        return self.parameters(of: .languages, in: claims).compactMap(\.value)
    }
}
