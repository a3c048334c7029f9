import Testing

@testable import GatePolicy

@Suite struct ReleaseOnsetTests {
    static func cases() throws -> [(Release, StoreHold?, Onset)] {
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
        onset: Onset
    ) {
        #expect(Onset(of: release, hold) == onset)
    }

    @Test func `what comes sooner is less`() {
        let ascending = [Onset.always, .from(second(1)), .from(second(2)), .never]
        for (index, one) in ascending.enumerated() {
            for (other, two) in ascending.enumerated() { #expect((one < two) == (index < other)) }
        }
    }
}
