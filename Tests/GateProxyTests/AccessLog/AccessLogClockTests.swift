import GateWire
import NIOCore
import Testing

@testable import GateProxy

struct AccessLogClockTests {
    private static let start = NIODeadline.uptimeNanoseconds(5_000_000_000)
    /// 2026-11-22T09:35:25.042Z.
    private static let wallTime: Int64 = 1_795_340_125_042_000_000

    private func text(_ clock: AccessLogClock) -> String {
        clock.text.span.text(from: 0, to: clock.count)
    }

    @Test func `time advances between two reads of the wall clock`() {
        var clock = AccessLogClock(.json, wallTime: Self.wallTime, at: Self.start)
        #expect(self.text(clock) == "2026-11-22T09:35:25.042Z")
        clock.advance(to: Self.start + .milliseconds(957))
        #expect(self.text(clock) == "2026-11-22T09:35:25.999Z")
        clock.advance(to: Self.start + .milliseconds(958))
        #expect(self.text(clock) == "2026-11-22T09:35:26.000Z")
        clock.advance(to: Self.start + .seconds(86_400))
        #expect(self.text(clock) == "2026-11-23T09:35:25.042Z")
    }

    @Test func `the time follows changes to the wall clock, also backward ones`() {
        var clock = AccessLogClock(.combined, wallTime: Self.wallTime, at: Self.start)
        #expect(self.text(clock) == "22/Nov/2026:09:35:25 +0000")
        clock.set(wallTime: Self.wallTime - 3_600_000_000_000, at: Self.start)
        clock.advance(to: Self.start)
        #expect(self.text(clock) == "22/Nov/2026:08:35:25 +0000")
    }

    @Test func `times before 1970 are clamped`() {
        let clock = AccessLogClock(.json, wallTime: -1, at: Self.start)
        #expect(self.text(clock) == "1970-01-01T00:00:00.000Z")
    }
}
