import GateTestSupport
import Testing

@testable import GateSystem

@Suite(.ownThread, .timeLimit(.minutes(5)))
struct LongTaskThreadTests {
    @Test func `one job runs at a time, and others are refused until it ends`() async throws {
        let aside = LongTaskThread()
        let (begun, finish) = (Latch(), Latch())
        async let first = aside.run { () -> Int in
            begun.open()
            try? finish.wait()
            return 1
        }
        try begun.wait()
        let second = await aside.run { 2 }
        #expect(second == nil)
        finish.open()
        let (one, three) = (await first, await aside.run { 3 })
        #expect(one == 1)
        #expect(three == 3)
    }
}
