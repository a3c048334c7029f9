package import NIOCore

/// How long requests took.
package struct LatencyFigures: Sendable, Equatable {
    /// From the reading of a request's head until its denial was written.
    package var denied = LatencyHistogram.ofWork
    /// From the reading of a request's head until it was written for the backend, or began to wait for a
    /// connection to it.
    package var forwarded = LatencyHistogram.ofWork
    /// From then until the head of the answer was there.
    package var answered = LatencyHistogram.ofAnswers

    package static func + (left: LatencyFigures, right: LatencyFigures) -> LatencyFigures {
        LatencyFigures(
            denied: left.denied + right.denied,
            forwarded: left.forwarded + right.forwarded,
            answered: left.answered + right.answered
        )
    }
}

/// The times that something took, in buckets.
package struct LatencyHistogram: Sendable, Equatable {
    /// Upper ends of the buckets in nanoseconds, in ascending order; a time that is equal to one is in
    /// its bucket.
    package let bounds: [Int64]
    /// The number of times in each bucket; the last is for those beyond all bounds.
    package private(set) var counts: [UInt64]
    /// All times together in nanoseconds.
    package private(set) var sum: Int64 = 0

    /// A histogram of nothing yet.
    ///
    /// `bounds`: in nanoseconds and in ascending order.
    package init(bounds: [Int64]) {
        self.bounds = bounds
        self.counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// For what takes microseconds: 10 µs to 100 ms.
    package static let ofWork = LatencyHistogram(
        bounds: [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 100_000].map { $0 * 1_000 }
    )

    /// For what takes milliseconds: 1 ms to 10 s.
    package static let ofAnswers = LatencyHistogram(
        bounds: [1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000]
            .map { $0 * 1_000 }
            + [500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000].map { $0 * 1_000 }
    )

    /// Adds a time; most are short, and found at once.
    package mutating func add(_ time: TimeAmount) {
        let nanoseconds = time.nanoseconds
        var bucket = 0
        while bucket < self.bounds.count, nanoseconds > self.bounds[bucket] { bucket &+= 1 }
        self.counts[bucket] &+= 1
        self.sum &+= nanoseconds
    }

    /// Both together; of the same bounds.
    package static func + (left: LatencyHistogram, right: LatencyHistogram) -> LatencyHistogram {
        var both = left
        for (bucket, count) in right.counts.enumerated() { both.counts[bucket] &+= count }
        both.sum &+= right.sum
        return both
    }
}
