import GatePolicy
import GateSystem
import Testing

@testable import GateAdmin

struct ProcessFiguresTests {
    @Test func `the files in proc are parsed`() {
        let stat =
            "71 (a (b) c) S 1 71 71 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 1 0 123456 1000 200 1 2"
        #expect(ProcessFigures.startTicks(stat: stat) == 123_456)
        #expect(ProcessFigures.residentPages(statm: "1000 200 30 4 0 50 0\n") == 200)
        let system = "cpu 1 2\nbtime 1763800000\nctxt 3\n"
        #expect(ProcessFigures.bootTime(stat: system) == 1_763_800_000)
    }

    @Test(arguments: ["", "(", "71 (a) S 1", "71 (a) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 x"])
    func `invalid contents give no figure`(text: String) {
        #expect(ProcessFigures.startTicks(stat: text) == nil)
        #expect(ProcessFigures.bootTime(stat: text) == nil)
    }

    @Test func `the current process has figures`() throws {
        let figures = ProcessFigures.current()
        #expect(try #require(figures.residentBytes) > 1 << 20)
        #expect(try #require(figures.processorSeconds) > 0)
        #expect(try #require(figures.openDescriptors) > 2)
        #expect(try #require(figures.maximumDescriptors) > 2)
        let now = Double(SystemClock.now().secondsSinceEpoch)
        let start = try #require(figures.startTime)
        #expect(start <= now + 1 && start > now - 86_400)
    }
}
