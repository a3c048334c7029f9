import NIOCore
import Testing

@testable import GateProxy

struct LogLimiterTests {
    @Test func `one line a second is logged, and says how many were not`() {
        var limiter = LogLimiter()
        let start = NIODeadline.now()
        #expect(limiter.admit(at: start) == 0)
        #expect(limiter.admit(at: start) == nil)
        #expect(limiter.admit(at: start + .milliseconds(999)) == nil)
        #expect(limiter.admit(at: start + .seconds(1)) == 2)
        #expect(limiter.admit(at: start + .milliseconds(1500)) == nil)
        #expect(limiter.admit(at: start + .seconds(9)) == 1)
        #expect(limiter.admit(at: start + .seconds(10)) == 0)
    }
}
