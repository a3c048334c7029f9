internal import GatePolicy

/// The time that a census covers, as far as its rows tell.
struct CensusCoverage: Sendable, Equatable {
    /// Seconds without a request after which the census was probably off.
    private static let longestPause: Int64 = 86_400

    /// The first second, if it is later than the one that was asked for; `nil`: it is not, or there are no requests.
    let start: Timestamp?
    /// Times without any request that are longer than a day.
    let pauses: [Range<Timestamp>]
    /// Whether there is any request at all.
    let isEmpty: Bool

    /// Looks for what is missing.
    ///
    /// - Parameters:
    ///   - spans: The times that rows stand for, in any order.
    ///   - first: The second from which on there would be rows; `nil`: there are none before.
    ///   - isCut: Whether that is later than was asked for.
    ///   - now: The end.
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
