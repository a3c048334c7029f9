internal import GatePolicy

/// The period that the census covers, derived from its rows.
struct CensusCoverage: Sendable, Equatable {
    /// The number of seconds without requests above which the census is assumed to have been off.
    private static let longestPause: Int64 = 86_400

    /// The start of the coverage; `nil` if it is not later than requested, or if there are no
    /// requests.
    let start: Timestamp?
    /// Periods of more than a day without requests.
    let pauses: [Range<Timestamp>]
    /// Whether there are no requests at all.
    let isEmpty: Bool

    /// Finds gaps in the coverage.
    ///
    /// - Parameters:
    ///   - spans: The periods of the rows, in any order.
    ///   - first: The time from which rows are expected; `nil` if the census has no rows from before the period.
    ///   - isCut: Whether `first` is later than requested.
    ///   - now: The end of the period.
    init(
        _ spans: [Range<Timestamp>],
        from first: Timestamp?,
        isCut: Bool = false,
        until now: Timestamp
    ) {
        let sorted = spans.sorted { $0.lowerBound < $1.lowerBound }
        self.isEmpty = sorted.isEmpty
        guard let begin = first ?? sorted.first?.lowerBound else {
            (self.start, self.pauses) = (nil, [])
            return
        }
        self.start = first == nil || isCut ? begin : nil
        var pauses: [Range<Timestamp>] = []
        var end = begin
        for span in sorted + [now..<max(now, sorted.last?.upperBound ?? now)] {
            if end.seconds(until: span.lowerBound) > Self.longestPause {
                pauses.append(end..<span.lowerBound)
            }
            end = max(end, span.upperBound)
        }
        self.pauses = pauses
    }
}
