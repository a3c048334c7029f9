import Testing

@testable import GateRules

struct SpellingTests {
    @Test(
        arguments: [
            ("minimun", "minimum"), ("MINIMUM", "minimum"), ("minimumbuild", "minimumBuild"),
            ("mdoe", "mode"), ("mod", "mode"), ("moode", "mode"), ("blokced", "blocked"),
            ("store_url", "storeUrl"),
        ]
    )
    func `the nearest key of a misspelled key is the intended one`(
        _ word: String,
        _ expected: String
    ) {
        #expect(Spelling.nearest(to: word, among: RuleDecoder.keys) == expected)
    }

    @Test(arguments: ["", "x", "title", "deadline", String(repeating: "minimum", count: 100)])
    func `a text unlike any key has no nearest key`(_ word: String) {
        #expect(Spelling.nearest(to: word, among: RuleDecoder.keys) == nil)
    }
}
