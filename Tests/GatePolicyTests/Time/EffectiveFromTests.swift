import Testing

@testable import GatePolicy

@Suite struct EffectiveFromTests {
    static func cases() throws -> [(Release, StoreHold?, EffectiveFrom)] {
        let day = second(100)
        let both: [String: Timestamp?] = ["jp": nil, "kr": second(130)]
        let three = ["jp", "kr", "us"]
        return [
            (try release("1"), nil, .always),
            (try release("1"), StoreHold(countries: ["jp"], soak: 50), .always),
            (try release("1", at: day), nil, .from(day)),
            (try release("1", at: day), StoreHold(soak: 50), .from(second(150))),
            (
                try release("1", at: day), StoreHold(soak: .max),
                .from(.init(secondsSinceEpoch: .max))
            ),
            (try release("1", countries: both), nil, .from(second(130))),
            (try release("1", countries: both), StoreHold(countries: ["jp"]), .always),
            (try release("1", at: day, countries: both), StoreHold(countries: ["jp"]), .from(day)),
            (try release("1", at: second(140), countries: both), nil, .from(second(140))),
            (try release("1", at: day, countries: both), StoreHold(countries: ["us"]), .never),
            (try release("1", countries: both), StoreHold(countries: ["jp", "us"]), .never),
            (try release("1", countries: [:]), nil, .never),
            (try release("1", countries: both, storeCountries: three), nil, .never),
            (try release("1", countries: both, storeCountries: three), StoreHold(), .never),
            (
                try release("1", countries: both, storeCountries: ["jp", "kr"]),
                StoreHold(soak: 5), .from(second(135))
            ),
            (
                try release("1", countries: both, storeCountries: three),
                StoreHold(countries: ["jp", "kr"]), .from(second(130))
            ),
            (try release("1", phase: .partial), nil, .never),
            (try release("1", phase: .phased(completeAt: day)), nil, .from(day)),
            (
                try release("1", at: day, phase: .phased(completeAt: second(90))),
                StoreHold(soak: 1), .from(second(101))
            ),
            (
                try release("1", at: day, countries: both, phase: .phased(completeAt: second(170))),
                StoreHold(countries: ["kr"], soak: 5), .from(second(175))
            ),
        ]
    }

    @Test(arguments: try cases())
    func `a release is effective once all counted clients can get it`(
        release: Release,
        hold: StoreHold?,
        effective: EffectiveFrom
    ) {
        #expect(EffectiveFrom(of: [release], hold) == effective)
    }

    static let stores: [(String?, StoreHold?, EffectiveFrom)] = [
        (nil, nil, .never), ("jp", nil, .from(second(100))), ("kr", nil, .from(second(130))),
        ("us", nil, .never), ("fr", nil, .never),
        ("kr", StoreHold(soak: 5), .from(second(135))), ("us", StoreHold(soak: 5), .never),
        (nil, StoreHold(countries: ["jp", "kr"]), .from(second(130))),
        ("jp", StoreHold(countries: ["jp", "kr"]), .from(second(100))),
        // A country that is not counted waits for all counted ones.
        ("us", StoreHold(countries: ["jp", "kr"]), .from(second(130))),
        ("jp", StoreHold(countries: ["us"]), .never),
    ]

    @Test(arguments: stores)
    func `a client waits only for its own store if that store is counted`(
        country: String?,
        hold: StoreHold?,
        effective: EffectiveFrom
    ) throws {
        let release = try release(
            "1",
            at: second(100),
            countries: ["jp": nil, "kr": second(130)],
            storeCountries: ["jp", "kr", "us"]
        )
        #expect(EffectiveFrom(of: [release], hold, in: country) == effective)
        var everywhere = release
        (everywhere.countries, everywhere.storeCountries) = (nil, nil)
        let soaked = second(100).advanced(by: hold?.soak ?? 0)
        #expect(EffectiveFrom(of: [everywhere], hold, in: country) == .from(soaked))
        var partial = release
        partial.phase = .partial
        #expect(EffectiveFrom(of: [partial], hold, in: country) == .never)
    }

    /// Facts about one version, and the time from which a client in a country can get all of them.
    static func groups() throws -> [(facts: [Release], country: String?, effective: EffectiveFrom)]
    {
        let day = second(100)
        func fact(
            _ build: BuildNumber,
            at time: Timestamp? = nil,
            countries: [String: Timestamp?]? = nil,
            asked: [String]? = nil,
            phase: ReleasePhase = .complete
        ) throws -> Release {
            try release(
                "1",
                build: build,
                at: time,
                countries: countries,
                storeCountries: asked,
                phase: phase
            )
        }
        let inJapan: [String: Timestamp?] = ["jp": day]
        let inTwo: [String: Timestamp?] = ["us": second(130), "ca": second(90)]
        let asia = try fact(1, countries: inJapan, asked: ["jp", "kr"])
        let america = try fact(1, countries: inTwo, asked: ["us", "ca"])
        return [
            ([try fact(1), try fact(2)], nil, .always),
            ([try fact(1), try fact(2, at: day)], nil, .from(day)),
            ([try fact(1, at: second(90)), try fact(2, at: day)], nil, .from(day)),
            ([try fact(1), try fact(2, phase: .partial)], nil, .never),
            // A build in two tracks is available to all clients once it is in both tracks.
            ([try fact(1), try fact(1, phase: .partial)], nil, .never),
            ([try fact(1), try fact(2, phase: .phased(completeAt: day))], nil, .from(day)),
            // Two feeds for different countries.
            ([asia, america], "jp", .from(day)), ([asia, america], "ca", .from(second(90))),
            ([asia, america], "us", .from(second(130))), ([asia, america], "kr", .never),
            ([asia, america], nil, .never), ([america], nil, .from(second(130))),
            ([try fact(1, countries: inJapan), america], nil, .from(second(130))),
            ([try fact(1), america], "us", .from(second(130))),
            ([try fact(1, at: second(140)), america], "us", .from(second(140))),
            ([try fact(1, phase: .partial), america], "us", .never),
        ]
    }

    @Test(arguments: try groups())
    func `a release is available once each of its facts is`(
        facts: [Release],
        country: String?,
        effective: EffectiveFrom
    ) {
        #expect(EffectiveFrom(of: facts, nil, in: country) == effective)
        #expect(EffectiveFrom(of: facts.reversed(), nil, in: country) == effective)
    }

    @Test func `values are ordered by time`() {
        let ascending = [EffectiveFrom.always, .from(second(1)), .from(second(2)), .never]
        for (index, one) in ascending.enumerated() {
            for (other, two) in ascending.enumerated() { #expect((one < two) == (index < other)) }
        }
    }
}

extension EffectiveFrom {
    /// Creates the value for the only release in some facts.
    fileprivate init(of facts: [Release], _ hold: StoreHold?, in country: String? = nil) {
        let releases = StoreRelease.releases(in: facts)
        self = releases.count == 1 ? EffectiveFrom(of: releases[0], hold, in: country) : .never
    }
}
