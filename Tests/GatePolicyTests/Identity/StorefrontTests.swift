import Testing

@testable import GatePolicy

struct StorefrontTests {
    private typealias Lines = [(String, String)]

    static let statements: [([String], Claim<String>)] = [
        ([], .missing), ([""], .missing), (["JP"], .stated("jp")), (["jp"], .stated("jp")),
        (["JPN"], .stated("jp")), (["jPn"], .stated("jp")), ([" USA "], .stated("us")),
        (["DEU"], .stated("de")), (["XKS"], .stated("xk")), (["JPN", "jp"], .stated("jp")),
        (["JPN, KOR"], .unreadable("jp, kr")), (["JP", "KR"], .unreadable("jp, kr")),
        (["ZZZ"], .unreadable("ZZZ")), (["Japan"], .unreadable("Japan")),
        (["J1"], .unreadable("J1")), (["143462"], .unreadable("143462")), (["é"], .unreadable("é")),
    ]

    @Test(arguments: statements)
    func `a storefront is a country code of two or three letters`(
        lines: [String],
        storefront: Claim<String>
    ) {
        let fields = lines.map { ("x-app-storefront", $0) }
        let rules = ruleSet()
        #expect(rules.identify(rules.claims(fields)).storefront == storefront)
    }

    @Test func `three-letter and two-letter country codes map one to one`() {
        let letters = (0..<26).map { String(UnicodeScalar(UInt8(97 + $0))) }
        var found: [String: String] = [:]
        for one in letters {
            for two in letters {
                for three in letters {
                    let code = one + two + three
                    if let country = Storefront.country(code) { found[code] = country }
                }
            }
        }
        // The 249 countries of ISO 3166-1, and Kosovo.
        #expect(found.count == 250)
        #expect(Set(found.values).count == 250)
        #expect(found.values.allSatisfy { Storefront.country($0) == $0 })
        for (three, two) in [
            "afg": "af", "zwe": "zw", "are": "ae", "che": "ch", "chn": "cn", "gbr": "gb",
            "kor": "kr", "prk": "kp", "svk": "sk", "svn": "si", "swe": "se", "twn": "tw",
        ] {
            #expect(found[three] == two)
        }
    }

    @Test func `the storefront is in the header or query parameter from the rules file`() {
        var sources = IdentitySources.defaults
        sources.headers[.storefront] = ["x-store"]
        sources.query[.storefront] = "store"
        let rules = ruleSet(identity: sources)
        func storefront(_ headers: [(String, String)], _ query: [(String, String)] = [])
            -> Claim<String>
        {
            rules.identify(rules.claims(headers, query: query)).storefront
        }
        #expect(storefront([("x-app-storefront", "JPN")]) == .missing)
        #expect(storefront([("x-store", "JPN")]) == .stated("jp"))
        #expect(storefront([], [("store", "JPN")]) == .stated("jp"))
        #expect(storefront([("x-store", "KOR")], [("store", "JPN")]) == .stated("kr"))
        #expect(rules.identityHeaderNames.contains("x-store"))
        #expect(rules.identityQueryNames == ["store"])
    }

    static let countries: [(storefront: Claim<String>, country: Claim<String>, String?)] = [
        (.stated("jp"), .stated("kr"), "jp"), (.missing, .stated("kr"), "kr"),
        (.unreadable("?"), .stated("kr"), nil), (.missing, .unreadable("?"), nil),
        (.missing, .missing, nil), (.stated("jp"), .unreadable("?"), "jp"),
    ]

    @Test(arguments: countries)
    func `a client's store is that of its storefront, or else of its country`(
        storefront: Claim<String>,
        country: Claim<String>,
        store: String?
    ) throws {
        var identity = try client(languages: "us-US")
        identity.storefront = storefront
        identity.country = country
        #expect(identity.storeCountry == store)
    }
}
