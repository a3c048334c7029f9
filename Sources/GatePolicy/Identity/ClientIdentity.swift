/// The identity that a client states in a request, as typed values.
package struct ClientIdentity: Sendable, Hashable {
    package var app: Claim<String>
    package var platform: Claim<Platform>
    package var version: Claim<AppVersion>
    package var build: Claim<BuildNumber>
    /// The distribution channel in lower case.
    package var channel: Claim<String>
    package var osVersion: Claim<AppVersion>
    package var device: Claim<String>
    /// The unparsed values of the language fields, such as `Accept-Language`.
    private var languageFields: [String]
    /// The lower-case code of the country that the client connects from, according to a proxy.
    package var country: Claim<String>
    /// The lower-case code of the country of the store that the client gets its updates from.
    package var storefront: Claim<String>

    package init(
        app: Claim<String> = .missing,
        platform: Claim<Platform> = .missing,
        version: Claim<AppVersion> = .missing,
        build: Claim<BuildNumber> = .missing,
        channel: Claim<String> = .missing,
        osVersion: Claim<AppVersion> = .missing,
        device: Claim<String> = .missing,
        languages: [String] = [],
        country: Claim<String> = .missing,
        storefront: Claim<String> = .missing
    ) {
        self.app = app
        self.platform = platform
        self.version = version
        self.build = build
        self.channel = channel
        self.osVersion = osVersion
        self.device = device
        self.languageFields = languages
        self.country = country
        self.storefront = storefront
    }
}

extension ClientIdentity {
    /// The preferred languages of the client, most preferred first.
    ///
    /// The languages are parsed on access, because few responses contain texts.
    package var languages: [LanguageRange] { LanguageRange.list(parsing: self.languageFields) }

    /// The country of the client's store; `nil` if it is unknown.
    ///
    /// The value is the storefront that the client sends, or else the country that the client
    /// connects from. The latter does not replace an unparsable storefront, because the client's
    /// store may be in any country. Languages do not determine the store.
    var storeCountry: String? {
        switch self.storefront {
        case .stated(let country): country
        case .missing: self.country.value
        case .unreadable: nil
        }
    }

    /// The lower-case country code for choosing store URLs; `nil` if no country is known.
    ///
    /// The value is the country that the client connects from, or else the region of the most
    /// preferred language that has a country as its region.
    var likelyCountry: String? {
        if let country = self.country.value { return country }
        let regions = self.languages.lazy.filter { $0.weight > 0 }.compactMap(\.tag?.region)
        return regions.first { $0.utf8.count == 2 }?.lowercased()
    }
}
