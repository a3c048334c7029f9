import GatePolicy

/// The judged requests of one event loop, by their terms.
///
/// A verdict knows its place here, so that to count a request is one increment. Terms that have left
/// the rules keep their place: what is counted never becomes less.
final class RequestTally {
    /// The terms with names that are told apart; beyond them, requests are counted without names.
    ///
    /// Only rules files make new terms, and a gate may see many of them in its life.
    private static let capacity = 16_384

    private let capacity: Int
    private var places: [RequestTerms: Int] = [:]
    private var terms: [RequestTerms] = []
    private var counts: [UInt64] = []

    init(capacity: Int = RequestTally.capacity) {
        self.capacity = capacity
        // The first place is that of requests that nobody judges.
        self.keep(.preflight)
    }

    /// The place of these terms.
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

    /// Counts a request by the place of its terms.
    @inline(__always)
    func count(_ place: Int) {
        self.counts[place] &+= 1
    }

    /// The requests so far, without terms that no request had.
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
