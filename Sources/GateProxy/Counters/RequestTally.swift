import GatePolicy

/// The number of evaluated requests on one event loop, by the labels of their verdicts (`RequestTerms`: app, platform,
/// decision, rule and others).
///
/// A verdict stores the index of its terms, so counting a request is a single increment. Terms that
/// are no longer in the rules keep their index, because counters never decrease.
final class RequestTally {
    /// The maximum number of terms that keep their names; requests with any other terms are counted
    /// under terms without names.
    ///
    /// Only rules files introduce new terms, but a long-running gate may load many of them.
    private static let capacity = 16_384

    private let capacity: Int
    private var places: [RequestTerms: Int] = [:]
    private var terms: [RequestTerms] = []
    private var counts: [UInt64] = []

    init(capacity: Int = RequestTally.capacity) {
        self.capacity = capacity
        // The first index is for requests that are not evaluated.
        self.keep(.preflight)
    }

    /// Returns the index of these terms.
    func place(of terms: RequestTerms) -> Int {
        if let place = self.places[terms] { return place }
        guard self.terms.count >= self.capacity else { return self.keep(terms) }
        let nameless = terms.withoutNames
        return self.places[nameless] ?? self.keep(nameless)
    }

    @discardableResult
    private func keep(_ terms: RequestTerms) -> Int {
        self.places[terms] = self.terms.count
        self.terms.append(terms)
        self.counts.append(0)
        return self.terms.count - 1
    }

    /// Counts a request by the index of its terms.
    @inline(__always)
    func count(_ place: Int) {
        self.counts[place] &+= 1
    }

    /// The number of requests so far for each of the terms, omitting terms that no request has had.
    var requests: [RequestTerms: UInt64] {
        var requests: [RequestTerms: UInt64] = [:]
        for (terms, count) in zip(self.terms, self.counts) where count > 0 {
            requests[terms] = count
        }
        return requests
    }
}

@available(*, unavailable)
extension RequestTally: Sendable {}
