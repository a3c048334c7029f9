/// Everything that a request says of the client that sent it, as typed values.
package struct ClientIdentity: Sendable, Hashable {
    package var app: Claim<String>
    package var platform: Claim<Platform>
    package var version: Claim<AppVersion>
    package var build: Claim<BuildNumber>
    /// The distribution channel, lower case.
    package var channel: Claim<String>
    package var osVersion: Claim<AppVersion>
    package var device: Claim<String>
    /// The fields that state the languages, such as `Accept-Language`, as they came.
    private var languageFields: [String]
    /// The country that the client connects from, as a proxy tells it: a lower-case code.
    package var country: Claim<String>
    /// The country of the store that the client gets its updates from: a lower-case code.
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
    /// The languages that the client wants to read, best first.
    ///
    /// Read when it is asked for: few answers have words in them.
    package var languages: [LanguageRange] { LanguageRange.list(parsing: self.languageFields) }

    /// The country whose store the client has, as far as that is known: the storefront that it
    /// states, or else the country that it connects from.
    ///
    /// A storefront that cannot be read is not replaced by the next best: the client may be of any
    /// country. Its languages say nothing of its store.
    var storeCountry: String? {
        switch self.storefront {
        case .stated(let country): country
        case .missing: self.country.value
        case .unreadable: nil
        }
    }

    /// The country that links are chosen by, lower case: the stated one, or else that of the first
    /// wanted language with one.
    var likelyCountry: String? {
        if let country = self.country.value { return country }
        let regions = self.languages.lazy.filter { $0.weight > 0 }.compactMap(\.tag?.region)
        return regions.first { $0.utf8.count == 2 }?.lowercased()
    }
}
