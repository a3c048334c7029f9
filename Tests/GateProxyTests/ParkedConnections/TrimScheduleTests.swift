import NIOCore
import Testing

@testable import GateProxy

struct TrimScheduleTests {
    /// Returns the seconds in which memory is trimmed, given the number of parked connections in each second.
    private static func trims(_ parked: [Int]) -> [Int] {
        var schedule = TrimSchedule(begin: .uptimeNanoseconds(0))
        return parked.indices.filter { second in
            schedule.isDue(
                parked: parked[second],
                at: .uptimeNanoseconds(0) + .seconds(Int64(second))
            )
        }
    }

    @Test(
        arguments: [
            // Memory is not trimmed for a small number of connections.
            ([0, 499, 499, 499], []),
            // For many connections, it is trimmed once, when their number is stable.
            ([0, 500, 500, 500, 500, 500, 500, 500, 500], [2]),
            ([0, 3000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000], [4]),
            // Connections that are parked later wait for the next trim.
            ([0, 9000, 9000, 9900, 9900, 9900, 9900, 9900, 9900], [2, 7]),
            // With constant turnover, it is trimmed once, because the memory would be needed again.
            ([1000, 1000, 1200, 900, 1100, 1000, 1300, 1000, 1350, 1000, 1100, 1300, 1200], [1]),
            // It is trimmed again for many connections that are parked after others have closed.
            ([1000, 1000, 0, 0, 0, 0, 0, 1000, 1000, 1000], [1, 8]),
            // During slow, continuous growth, it is trimmed every five seconds.
            (Array(stride(from: 10_000, to: 14_000, by: 200)), [1, 6, 11, 16]),
            // Without parked connections, memory is trimmed every minute.
            (Array(repeating: 0, count: 130), [60, 120]),
            // The minute starts again with each trim.
            (Array(repeating: 0, count: 30) + Array(repeating: 800, count: 70), [31, 91]),
        ] as [([Int], [Int])]
    )
    func `memory is trimmed when many connections stay parked`(_ parked: [Int], _ expected: [Int]) {
        #expect(Self.trims(parked) == expected)
    }
}
