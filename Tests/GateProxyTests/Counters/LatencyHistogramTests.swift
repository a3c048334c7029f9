import NIOCore
import Testing

@testable import GateProxy

struct LatencyHistogramTests {
    @Test(
        arguments: [
            (0, 0), (-5, 0), (9, 0), (10, 0), (11, 1), (20, 1), (21, 2), (30, 2), (31, 3),
            (Int64.max / 2, 3),
        ] as [(Int64, Int)]
    )
    func `a duration is in the first bucket whose bound is not below it`(time: Int64, bucket: Int) {
        var histogram = LatencyHistogram(bounds: [10, 20, 30])
        histogram.add(.nanoseconds(time))
        var counts: [UInt64] = [0, 0, 0, 0]
        counts[bucket] = 1
        #expect(histogram.counts == counts)
        #expect(histogram.sum == time)
    }

    @Test func `two histograms are added`() {
        var one = LatencyHistogram(bounds: [10])
        var other = one
        one.add(.nanoseconds(5))
        other.add(.nanoseconds(7))
        other.add(.nanoseconds(11))
        #expect((one + other).counts == [2, 1])
        #expect((one + other).sum == 23)
    }

    @Test(arguments: [LatencyHistogram.ofWork, .ofAnswers])
    func `bounds are ascending`(histogram: LatencyHistogram) {
        #expect(histogram.bounds == histogram.bounds.sorted())
        #expect(Set(histogram.bounds).count == histogram.bounds.count)
    }
}
