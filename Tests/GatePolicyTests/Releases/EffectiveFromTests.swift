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
    func `a release counts once everybody who counts can get it`(
        release: Release,
        hold: StoreHold?,
        effective: EffectiveFrom
    ) {
        #expect(EffectiveFrom(of: release, hold) == effective)
    }

    static let stores: [(String?, StoreHold?, EffectiveFrom)] = [
        (nil, nil, .never), ("jp", nil, .from(second(100))), ("kr", nil, .from(second(130))),
        ("us", nil, .never), ("fr", nil, .never),
        ("kr", StoreHold(soak: 5), .from(second(135))), ("us", StoreHold(soak: 5), .never),
        (nil, StoreHold(countries: ["jp", "kr"]), .from(second(130))),
        ("jp", StoreHold(countries: ["jp", "kr"]), .from(second(100))),
        // A country that nobody waits for waits for all others.
        ("us", StoreHold(countries: ["jp", "kr"]), .from(second(130))),
        ("jp", StoreHold(countries: ["us"]), .never),
    ]

    @Test(arguments: stores)
    func `a client waits for its own store, if anybody waits for that`(
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
        #expect(EffectiveFrom(of: release, hold, in: country) == effective)
        var everywhere = release
        (everywhere.countries, everywhere.storeCountries) = (nil, nil)
        let soaked = second(100).advanced(by: hold?.soak ?? 0)
        #expect(EffectiveFrom(of: everywhere, hold, in: country) == .from(soaked))
        var partial = release
        partial.phase = .partial
        #expect(EffectiveFrom(of: partial, hold, in: country) == .never)
    }

    @Test func `what comes sooner is less`() {
        let ascending = [EffectiveFrom.always, .from(second(1)), .from(second(2)), .never]
        for (index, one) in ascending.enumerated() {
            for (other, two) in ascending.enumerated() { #expect((one < two) == (index < other)) }
        }
    }
}
