import Testing

@testable import GatePolicy

@Suite struct VersionAxisTests {
    static let axes: [([String], [String], String)] = [
        ([], ["1"], "any version"),
        (["3.5.0"], ["0", "3.5.0", "3.5.0.0.1"], "<3.5.0 | 3.5.0 | >3.5.0"),
        (["0"], ["0", "0.0.0.0.1"], "0 | >0"),
        (
            ["4", "3.5.0", "4.0"], ["0", "3.5.0", "3.5.0.0.1", "4", "4.0.0.0.1"],
            "<3.5.0 | 3.5.0 | >3.5.0 <4 | 4 | >4"
        ),
        (["1.2.3.4.5"], ["0", "1.2.3.4.5", "1.2.3.4.6"], "<1.2.3.4.5 | 1.2.3.4.5 | >1.2.3.4.5"),
        // There is no version above the highest number.
        (
            ["1.2.3.4.18446744073709551615"], ["0", "1.2.3.4.18446744073709551615"],
            "<1.2.3.4.18446744073709551615 | 1.2.3.4.18446744073709551615"
        ),
        // There is no version between them.
        (
            ["1.0.0.0.1", "1"], ["0", "1", "1.0.0.0.1", "1.0.0.0.2"],
            "<1 | 1 | 1.0.0.0.1 | >1.0.0.0.1"
        ),
        (["2-0", "2"], ["0", "2-0", "2-0.0", "2", "2.0.0.0.1"], "<2-0 | 2-0 | >2-0 <2 | 2 | >2"),
    ]

    @Test(arguments: axes)
    func `the axis has a cut at each version in the rules`(
        cuts: [String],
        points: [String],
        words: String
    ) throws {
        let axis = VersionAxis(cuts: try cuts.map { try version($0) })
        #expect(axis.points.map(\.version.description) == points)
        #expect(axis.points.indices.map { axis.words($0...$0) }.joined(separator: " | ") == words)
        #expect(axis.points.map(\.version) == axis.points.map(\.version).sorted())
    }

    @Test func `a range of points has the bounds of its ends`() throws {
        let axis = VersionAxis(cuts: [try version("3"), try version("4")])
        #expect(axis.words(0...4) == "any version")
        #expect(axis.words(1...2) == ">=3 <4")
        #expect(axis.words(2...3) == ">3 <=4")
        #expect(axis.words(0...1) == "<=3")
        #expect(axis.words(3...4) == ">=4")
    }
}
