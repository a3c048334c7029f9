import Testing

@testable import GatePolicy

struct VersionGapsTests {
    @Test(arguments: [
        ("", "", []), ("text", "text", []), ("#", "", [0]), ("a#b", "ab", [1]),
        ("##", "", [0, 0]), ("#a#", "a", [0, 1]),
    ])
    func `the placeholders are cut out of a text`(pattern: String, text: String, places: [Int]) {
        let whole = pattern.split(separator: "#", omittingEmptySubsequences: false)
            .joined(separator: VersionGaps.standIn)
        let gaps = VersionGaps(cutFrom: Array(whole.utf8))
        #expect(gaps.text == Array(text.utf8))
        #expect(gaps.places == places)
    }

    @Test func `a part of the placeholder is text`() {
        let part = Array(VersionGaps.standIn.utf8.dropLast())
        #expect(VersionGaps(cutFrom: part).text == part)
    }
}
