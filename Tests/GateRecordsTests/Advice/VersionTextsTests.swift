import Testing

@testable import GateRecords

struct VersionTextsTests {
    @Test(arguments: [
        (["1.10", "1.9", "2"], ["1.9", "1.10", "2"]),
        // By text, "1.10" < "1.9" and "1.2-" < "1.9", but "1.2-" > "1.10".
        (["1.9", "1.10", "1.1x", "latest"], ["1.9", "1.10", "1.1x", "latest"]),
        (["1.0", "1"], ["1", "1.0"]),
    ])
    func `versions are sorted, and other texts come last`(texts: [String], sorted: [String]) {
        #expect(VersionTexts(Set(texts)).sorted == sorted)
    }
}
