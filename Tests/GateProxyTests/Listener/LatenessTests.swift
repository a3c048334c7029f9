import NIOCore
import Testing

@testable import GateProxy

struct LatenessTests {
    @Test(arguments: [
        ([], false), ([0], false), ([5000], false), ([5000, 5000], true), ([1001, 1001], true),
        ([1000, 1000], false), ([5000, 0, 5000], false), ([5000, 5000, 0], false),
        ([5000, 5000, 5000], true), ([5000, 5000, 0, 5000], false), ([-5, -5], false),
    ])
    func `only a loop that is late again and again is overloaded`(_ lags: [Int], _ isLasting: Bool)
    {
        var lateness = Lateness()
        for lag in lags { lateness.tick(late: .milliseconds(Int64(lag))) }
        #expect(lateness.isLasting == isLasting)
    }
}
