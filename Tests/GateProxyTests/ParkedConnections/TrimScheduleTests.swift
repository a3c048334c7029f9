import NIOCore
import Testing

@testable import GateProxy

struct TrimScheduleTests {
    /// In which seconds memory is given back, if so many are parked in each.
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
            // Few are not worth it.
            ([0, 499, 499, 499], []),
            // A crowd is, once it stands still, and once.
            ([0, 500, 500, 500, 500, 500, 500, 500, 500], [2]),
            ([0, 3000, 8000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000], [4]),
            // Connections that come later have to wait.
            ([0, 9000, 9000, 9900, 9900, 9900, 9900, 9900, 9900], [2, 7]),
            // As many come as go: they would ask for the memory again.
            ([1000, 1000, 1200, 900, 1100, 1000, 1300, 1000, 1350, 1000, 1100, 1300, 1200], [1]),
            // The crowd that comes after another has gone.
            ([1000, 1000, 0, 0, 0, 0, 0, 1000, 1000, 1000], [1, 8]),
            // It grows for ever, but slowly.
            (Array(stride(from: 10_000, to: 14_000, by: 200)), [1, 6, 11, 16]),
            // Nobody is parked, and there may be something all the same.
            (Array(repeating: 0, count: 130), [60, 120]),
            // The minute begins anew with each crowd.
            (Array(repeating: 0, count: 30) + Array(repeating: 800, count: 70), [31, 91]),
        ] as [([Int], [Int])]
    )
    func `it is due for crowds that stay`(_ parked: [Int], _ expected: [Int]) {
        #expect(Self.trims(parked) == expected)
    }
}
