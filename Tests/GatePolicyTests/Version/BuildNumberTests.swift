import Testing

@testable import GatePolicy

@Suite struct BuildNumberTests {
    static let readable = [
        ("0", "0"), ("93", "93"), ("0093", "93"), ("93.1", "93.1"), ("93.0", "93.0"),
        ("93.10", "93.10"), ("18.9.0.1", "18.9.0.1"), ("2026.11.27", "2026.11.27"),
        ("1.002.0003", "1.2.3"), ("18446744073709551615", "18446744073709551615"),
        ("202611271234", "202611271234"), ("9999999999999999999", "9999999999999999999"),
        ("0000000000000000093", "93"), ("00000000000000000093", "93"),
    ]

    @Test(arguments: readable)
    func `one to four integers are a build`(text: String, description: String) throws {
        #expect(try BuildNumber(parsing: text).description == description)
        let isPlain = BuildNumber.isPlain(text.utf8Span.span)
        #expect(!isPlain || text == description)
    }

    @Test(arguments: [
        "", ".", "1.", ".1", "1..2", "1.2.3.4.5", "-1", "+1", "1a", "0x1", "1,2", " 1", "1 ", "１",
        "18446744073709551616", "1.18446744073709551616", "v1", "1-2",
        String(repeating: "1", count: 65),
    ])
    func `other texts are not a build`(text: String) {
        #expect(throws: VersionError.self) { try BuildNumber(parsing: text) }
        let isPlain = BuildNumber.isPlain(text.utf8Span.span)
        #expect(!isPlain)
    }

    @Test func `builds are compared component by component`() throws {
        let ascending = try [
            "0", "0.0.0.1", "0.1", "1", "1.0.0.1", "1.0.1", "1.1", "1.9", "1.10", "1.10.1", "2",
            "93",
            "93.1", "93.1.1", "94", "18446744073709551615", "18446744073709551615.1",
        ].map { try BuildNumber(parsing: $0) }
        for (index, one) in ascending.enumerated() {
            for (other, two) in ascending.enumerated() {
                #expect((one < two) == (index < other), "\(one) \(two)")
                #expect((one == two) == (index == other), "\(one) \(two)")
            }
        }
    }

    @Test(arguments: [("93", "93.0"), ("1.0", "1.0.0.0"), ("0", "0.0")])
    func `missing components are zero`(one: String, two: String) throws {
        let builds = try [BuildNumber(parsing: one), BuildNumber(parsing: two)]
        #expect(builds[0] == builds[1])
        #expect(builds[0].hashValue == builds[1].hashValue)
    }

    @Test(arguments: ["0", "93", "93.1", "1.2.3.4", "5.18446744073709551615.18446744073709551615"])
    func `the successor of a build is the next build`(text: String) throws {
        let build = try BuildNumber(parsing: text)
        let next = try #require(build.successor)
        #expect(build < next)
        #expect(next.predecessor == build)
    }

    @Test func `the lowest build has no predecessor and the highest no successor`() {
        #expect(BuildNumber.zero.predecessor == nil)
        #expect(BuildNumber.max.successor == nil)
    }
}
