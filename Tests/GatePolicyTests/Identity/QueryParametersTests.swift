import Testing

@testable import GatePolicy

@Suite struct QueryParametersTests {
    private static func parameters(_ target: String, _ names: [String]) -> QueryParameters {
        QueryParameters(ofTarget: target.utf8Span.span, named: names)
    }

    private static func values(_ target: String, of name: String) -> [String] {
        Self.parameters(target, ["other", name]).values(of: name).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("/", []),
        ("/?", []),
        ("a=1", []),
        ("/?a", [""]),
        ("/?a=", [""]),
        ("/?a=1=2&&B=%20", ["1=2"]),
        ("/?b&A=%61", ["%61"]),
        ("/?a=1?a=2&a=3", ["1?a=2", "3"]),
        ("/?=1&aa=2&", []),
    ])
    func `values are kept as sent, and names are matched regardless of case`(
        target: String,
        expected: [String]
    ) {
        #expect(Self.values(target, of: "a") == expected)
    }

    @Test func `only requested parameters are read, and at most 128`() {
        let few = Self.parameters("/?a=1&bc=2&BC=3&b=4&a", ["bc", "b"])
        #expect(few.count(of: "bc") == 2)
        #expect(few.count(of: "a") == 0)
        #expect(few.values(of: "a").isEmpty)
        let many =
            "/?" + String(repeating: "x&", count: 1000) + String(repeating: "b=1&", count: 1000)
        #expect(Self.parameters(many, ["b"]).count(of: "b") == 128)
    }

    @Test func `the first value is decoded`() {
        let parameters = Self.parameters("/?a=%2Fx%zz&b&a=2", ["a", "b", "c"])
        #expect(parameters.firstValue(of: "a") == Array("/x%zz".utf8))
        #expect(parameters.firstValue(of: "b") == [])
        #expect(parameters.firstValue(of: "c") == nil)
    }
}
