package import NIOCore

/// The latency histograms of requests.
package struct LatencyFigures: Sendable, Equatable {
    /// The time from reading a request head to writing its denial.
    package var denied = LatencyHistogram.ofWork
    /// The time from reading a request head to writing it to the backend or starting to wait for a connection.
    package var forwarded = LatencyHistogram.ofWork
    /// The time from the end of the `forwarded` interval to the arrival of the response head.
    package var answered = LatencyHistogram.ofAnswers

    package static func + (left: LatencyFigures, right: LatencyFigures) -> LatencyFigures {
        LatencyFigures(
            denied: left.denied + right.denied,
            forwarded: left.forwarded + right.forwarded,
            answered: left.answered + right.answered
        )
    }
}

/// A histogram of durations.
package struct LatencyHistogram: Sendable, Equatable {
    /// The inclusive upper bounds of the buckets, in nanoseconds and in ascending order.
    package let bounds: [Int64]
    /// The number of durations in each bucket; the last bucket contains the durations above all bounds.
    package private(set) var counts: [UInt64]
    /// The sum of all durations in nanoseconds.
    package private(set) var sum: Int64 = 0

    /// Creates an empty histogram with `bounds` in nanoseconds and in ascending order.
    package init(bounds: [Int64]) {
        self.bounds = bounds
        self.counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// An empty histogram with bounds from 10 µs to 100 ms.
    package static let ofWork = LatencyHistogram(
        bounds: [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 100_000].map { $0 * 1_000 }
    )

    /// An empty histogram with bounds from 1 ms to 10 s.
    package static let ofAnswers = LatencyHistogram(
        bounds: [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000]
            .map { $0 * 1_000 }
            + [500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000].map { $0 * 1_000 }
    )

    /// Adds a duration.
    ///
    /// Short durations, which are the most frequent, take the least time to add.
    package mutating func add(_ time: TimeAmount) {
        let nanoseconds = time.nanoseconds
        var bucket = 0
        while bucket < self.bounds.count, nanoseconds > self.bounds[bucket] { bucket &+= 1 }
        self.counts[bucket] &+= 1
        self.sum &+= nanoseconds
    }

    /// Adds two histograms with the same bounds.
    package static func + (left: LatencyHistogram, right: LatencyHistogram) -> LatencyHistogram {
        var both = left
        for (bucket, count) in right.counts.enumerated() { both.counts[bucket] &+= count }
        both.sum &+= right.sum
        return both
    }
}
