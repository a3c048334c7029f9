import NIOCore
import Testing

@testable import GateProxy

struct LogThrottleTests {
    @Test func `one line a second passes and says how many did not`() {
        var throttle = LogThrottle()
        let start = NIODeadline.uptimeNanoseconds(1)
        let passes = [0, 1, 999, 1000, 1001, 5000].map { milliseconds in
            throttle.pass(at: start + .milliseconds(milliseconds))
        }
        #expect(passes == [0, nil, nil, 2, nil, 1])
    }
}
