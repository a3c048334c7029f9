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
    func `a slip leads to the word that was meant`(_ word: String, _ expected: String) {
        #expect(Spelling.nearest(to: word, among: RuleDecoder.keys) == expected)
    }

    @Test(arguments: ["", "x", "title", "deadline", String(repeating: "minimum", count: 100)])
    func `a word that is far from all has no neighbour`(_ word: String) {
        #expect(Spelling.nearest(to: word, among: RuleDecoder.keys) == nil)
    }
}
