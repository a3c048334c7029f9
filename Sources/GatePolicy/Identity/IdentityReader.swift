/// Reads the client identity from the sources in a rules file.
///
/// For each part, header fields take precedence over the query. The `User-Agent` is used only if
/// neither the header fields nor the query contain a version.
struct IdentityReader: Sendable {
    static let userAgent = "user-agent"

    let sources: IdentitySources
    let platforms: PlatformNames

    /// The names of all header fields that are read, in lower case and without duplicates.
    let headerNames: [String]
    /// The names of all query parameters that are read, in lower case and without duplicates.
    let queryNames: [String]
    /// The indices in `headerNames` of the fields for a part, by the raw value of the part.
    private let headerIndices: [[Int]]
    private let queryIndices: [[Int]]
    private let plusSigns: [IdentityClaims.PlusSign]
    let userAgentIndex: Int?
    /// The parts that the backend reads, each with its header field and the indices of all fields
    /// for the part.
    ///
    /// Languages are excluded, because all backends parse language lists alike. The country is
    /// excluded, because another proxy sets its header field.
    let forwarded: [(part: IdentityPart, name: String, indices: [Int])]

    init(_ sources: IdentitySources, platforms: PlatformNames) {
        var sources = sources
        self.platforms = platforms
        sources.headers = sources.headers.mapValues { $0.map { $0.lowercased() } }
        sources.query = sources.query.mapValues { $0.lowercased() }
        self.sources = sources
        let headers = IdentityPart.allCases.map { sources.headers[$0] ?? [] }
        let query = IdentityPart.allCases.map { sources.query[$0] }
        let userAgent = sources.userAgents.isEmpty ? [] : [Self.userAgent]
        let headerNames = (headers.flatMap(\.self) + userAgent).uniqued()
        let queryNames = query.compactMap(\.self).uniqued()
        self.headerNames = headerNames
        self.queryNames = queryNames
        self.headerIndices = headers.map { $0.compactMap { headerNames.firstIndex(of: $0) } }
        self.queryIndices = query.map {
            $0.flatMap { queryNames.firstIndex(of: $0) }.map { [$0] } ?? []
        }
        self.plusSigns = queryNames.map { name in
            switch name {
            case sources.query[.version]: .blankInVersion
            // No platform has a plus sign in its name.
            case sources.query[.platform]: .blank
            default: .plus
            }
        }
        let headerIndices = self.headerIndices
        self.forwarded = IdentityPart.allCases.compactMap { part in
            guard part != .languages, part != .country, let name = headers[part.rawValue].first
            else { return nil }
            return (part, name, headerIndices[part.rawValue])
        }
        self.userAgentIndex = userAgent.isEmpty ? nil : headerNames.firstIndex(of: Self.userAgent)
    }

    /// The claims of a client that sends no identity.
    var noClaims: IdentityClaims {
        IdentityClaims(
            headerNames: self.headerNames,
            queryNames: self.queryNames,
            plusSigns: self.plusSigns,
            platforms: self.platforms
        )
    }

    func identify(_ claims: IdentityClaims) -> ClientIdentity {
        var version = VersionStatement()
        let extent = self.forEachValue(of: .version, in: claims) { value in
            version.merge(value, self.platforms)
            return !version.version.isUnreadable
        }
        var userAgent: [IdentityPart: [[UInt8]]] = [:]
        switch extent {
        case .values: break
        case .tooMuch: version = .tooMuch
        case .nothing:
            // A version header without a value counts as missing.
            userAgent = self.userAgentValues(in: claims)
            for value in userAgent[.version] ?? [] {
                version.merge(value.span, self.platforms)
            }
        }
        func claim<Value: CustomStringConvertible>(
            _ part: IdentityPart,
            _ read: (Span<UInt8>) -> Claim<Value>
        ) -> Claim<Value> {
            var claim = Claim<Value>.missing
            let extent = self.forEachValue(of: part, in: claims) { value in
                claim.merge(read(value))
                return !claim.isUnreadable
            }
            switch extent {
            case .values: return claim
            case .tooMuch: return .tooMuch
            case .nothing:
                guard !userAgent.isEmpty else { return .missing }
                for value in userAgent[part] ?? [] { claim.merge(read(value.span)) }
                return claim
            }
        }
        var platform = claim(.platform, StatedValue.platform)
        platform.merge(version.platform)
        var build = claim(.build, StatedValue.build)
        build.merge(version.build)
        return ClientIdentity(
            app: claim(.app, StatedValue.name),
            platform: platform,
            version: version.version,
            build: build,
            channel: claim(.channel, StatedValue.lowercasedName),
            osVersion: claim(.osVersion, StatedValue.version),
            device: claim(.device, StatedValue.name),
            languages: self.languages(in: claims),
            country: claim(.country, StatedValue.country),
            storefront: claim(.storefront, StatedValue.storefront)
        )
    }

    func names(of part: IdentityPart) -> [String] {
        self.sources.headers[part, default: []]
    }

    func indices(of part: IdentityPart) -> [Int] { self.headerIndices[part.rawValue] }

    private func forEachValue(
        of part: IdentityPart,
        in claims: IdentityClaims,
        _ body: (Span<UInt8>) -> Bool
    ) -> IdentityClaims.Extent {
        let names = self.indices(of: part)
        let extent = claims.forEachValue(of: claims.headers, named: names, body)
        guard extent == .nothing, !claims.query.isEmpty else { return extent }
        return claims.forEachValue(
            of: claims.query,
            named: self.queryIndices[part.rawValue],
            body
        )
    }

    private func userAgentValues(in claims: IdentityClaims) -> [IdentityPart: [[UInt8]]] {
        guard let userAgentIndex else { return [:] }
        var values: [IdentityPart: [[UInt8]]] = [:]
        for text in claims.texts(of: claims.headers, named: [userAgentIndex]) {
            let matches = self.sources.userAgents.lazy.compactMap { $0.match(text) }
            guard let match = matches.first else { continue }
            for (field, text) in match {
                // A comma in this value is part of a product comment, and does not separate values.
                let value = Array(text.trimmingBlanks.utf8)
                if !value.isEmpty { values[field.part, default: []].append(value) }
            }
        }
        return values
    }

    private func languages(in claims: IdentityClaims) -> [String] {
        let fields = claims.texts(of: claims.headers, named: self.indices(of: .languages))
        guard fields.allSatisfy(\.isEmpty), !claims.query.isEmpty else { return fields }
        return claims.texts(
            of: claims.query,
            named: self.queryIndices[IdentityPart.languages.rawValue]
        )
    }
}
