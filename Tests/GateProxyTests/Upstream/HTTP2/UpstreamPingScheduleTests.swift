import NIOCore
import Testing

@testable import GateProxy

struct UpstreamPingScheduleTests {
    /// A time in seconds, and the action expected then.
    struct Step: Sendable {
        var now: Int64
        var heard: Int64
        var isNeeded = true
        var action: UpstreamPingSchedule.Action = .doNothing
    }

    private func play(silence: Int64, _ steps: [Step]) {
        var pulse = UpstreamPingSchedule(silence: .seconds(silence))
        for step in steps {
            let action = pulse.check(
                at: .uptimeNanoseconds(0) + .seconds(step.now),
                heard: .uptimeNanoseconds(0) + .seconds(step.heard),
                isNeeded: step.isNeeded
            )
            #expect(action == step.action, "at \(step.now)")
        }
    }

    @Test func `a connection with traffic is not pinged`() {
        self.play(
            silence: 10,
            (1...50).map { Step(now: $0, heard: $0 - 9) }
        )
    }

    @Test func `a silent connection is pinged once, and closed if it does not reply`() {
        self.play(
            silence: 10,
            [
                Step(now: 100, heard: 100), Step(now: 109, heard: 100),
                Step(now: 110, heard: 100, action: .ask), Step(now: 119, heard: 100),
                Step(now: 120, heard: 100, action: .giveUp),
            ]
        )
    }

    @Test func `any traffic counts as a reply`() {
        self.play(
            silence: 10,
            [
                Step(now: 100, heard: 100), Step(now: 110, heard: 100, action: .ask),
                Step(now: 111, heard: 110), Step(now: 119, heard: 110),
                Step(now: 120, heard: 110, action: .ask), Step(now: 130, heard: 125),
                Step(now: 135, heard: 125, action: .ask),
                Step(now: 145, heard: 125, action: .giveUp),
            ]
        )
    }

    @Test func `silence is counted from the first pending request`() {
        self.play(
            silence: 10,
            [
                Step(now: 90, heard: 1, isNeeded: false), Step(now: 100, heard: 1),
                Step(now: 109, heard: 1), Step(now: 110, heard: 1, action: .ask),
            ]
        )
    }

    @Test func `a connection without pending requests is neither pinged nor closed`() {
        self.play(
            silence: 10,
            [
                Step(now: 100, heard: 100), Step(now: 110, heard: 100, action: .ask),
                Step(now: 115, heard: 100, isNeeded: false),
                Step(now: 130, heard: 100, isNeeded: false), Step(now: 131, heard: 100),
                Step(now: 141, heard: 100, action: .ask),
            ]
        )
    }

    @Test func `a reply has at most 20 seconds`() {
        self.play(
            silence: 300,
            [
                Step(now: 1000, heard: 1000), Step(now: 1300, heard: 1000, action: .ask),
                Step(now: 1319, heard: 1000), Step(now: 1320, heard: 1000, action: .giveUp),
            ]
        )
    }
}
