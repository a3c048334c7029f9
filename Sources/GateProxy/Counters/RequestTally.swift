import GatePolicy

/// The number of evaluated requests on one event loop, by the terms of their verdicts.
///
/// The terms (`RequestTerms`) include the app, the platform, the decision and the rule. A verdict stores the index
/// of its terms, so counting a request is a single increment. Terms that are no longer in the rules keep their index,
/// because counters never decrease.
final class RequestTally {
    /// The maximum number of terms that are counted under their own names.
    ///
    /// Requests with any other terms are counted under terms without names. Only rules files introduce new terms, but a
    /// long-running gate can load many rules files.
    private static let capacity = 16_384

    private let capacity: Int
    private var places: [RequestTerms: Int] = [:]
    private var terms: [RequestTerms] = []
    private var counts: [UInt64] = []

    init(capacity: Int = RequestTally.capacity) {
        self.capacity = capacity
        // The first index is reserved for requests that are not evaluated.
        self.keep(.preflight)
    }

    /// Returns the index of the given terms, which are added if they are new.
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

    /// Counts a request under the index of its terms.
    @inline(__always)
    func count(_ place: Int) {
        self.counts[place] &+= 1
    }

    /// The number of requests so far, by terms; terms without requests are absent.
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
