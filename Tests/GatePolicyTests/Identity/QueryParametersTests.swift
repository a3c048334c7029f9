import Testing

@testable import GatePolicy

@Suite struct QueryParametersTests {
    @Test(arguments: [
        ("/", []),
        ("/?", []),
        ("/?a", ["a="]),
        ("/?a=", ["a="]),
        ("/?a=1=2&&B=%20", ["a=1=2", "b=%20"]),
        ("/?a=1?a=2&a=3", ["a=1?a=2", "a=3"]),
        ("/?=1", ["=1"]),
    ])
    func `parameters stand as they were sent, with names in lower case`(
        target: String,
        expected: [String]
    ) {
        #expect(
            QueryParameters(ofTarget: target).all.map { "\($0.name)=\($0.value)" } == expected
        )
    }

    @Test func `only those that are asked for are read, and never thousands`() {
        let few = QueryParameters(ofTarget: "/?a=1&bc=2&BC=3&b=4&a", named: ["bc", "b"])
        #expect(few.all.map { "\($0.name)=\($0.value)" } == ["bc=2", "bc=3", "b=4"])
        let many =
            "/?" + String(repeating: "x&", count: 1000) + String(repeating: "b=1&", count: 1000)
        #expect(QueryParameters(ofTarget: many, named: ["b"]).all.count == 128)
        #expect(QueryParameters(ofTarget: many).all.count == 128)
    }

    @Test func `a parameter can be there more than once`() {
        let parameters = QueryParameters(ofTarget: "/?a=1&b=2&A=3")
        #expect(parameters.values(of: "a") == ["1", "3"])
        #expect(parameters.named(["b", "c"]).all.map(\.value) == ["2"])
    }
}
