package import GatePolicy

/// The counts of one event loop since it started; sums over loops are made by whoever asks.
package struct GateCounters: Equatable, Sendable {
    package var requests: UInt64 = 0
    package var allowed: UInt64 = 0
    package var recommended: UInt64 = 0
    package var required: UInt64 = 0
    package var maintenance: UInt64 = 0
    /// Requests that a rule or policy in observe mode would have denied.
    package var observed: UInt64 = 0
    /// Requests that left out a part of their identity that was needed; likewise unreadable ones.
    package var identityMissing: UInt64 = 0
    package var identityUnreadable: UInt64 = 0
    /// Requests that were no acceptable HTTP.
    package var malformed: UInt64 = 0
    /// Answers of 502, 503 and 504 that the gate gave itself.
    package var upstreamFailures: UInt64 = 0

    /// Requests of clients that asked where they stand.
    package var launchChecks: UInt64 = 0
    /// Streams of events that were opened, and the events that told a change on them.
    package var eventStreams: UInt64 = 0
    package var eventsSent: UInt64 = 0
    /// Answers under way that were ended, because other rules or their time forbade them.
    package var revoked: UInt64 = 0

    /// Connections of clients that were accepted, before it was known whether there is room.
    package var connectionsAccepted: UInt64 = 0
    /// Connections that were refused because there were as many as there may be: altogether, and
    /// from one address.
    package var connectionsRefused: UInt64 = 0
    package var connectionsPerAddressRefused: UInt64 = 0
    /// Connections whose PROXY protocol header was wrong, missing, or from somebody not believed.
    package var proxyHeadersRefused: UInt64 = 0
    /// Requests that were refused because too many wait for the backend, because the loop is late,
    /// and because no descriptor was left for a connection to the backend.
    package var requestsShed: UInt64 = 0
    package var requestsLate: UInt64 = 0
    package var descriptorsExhausted: UInt64 = 0
    /// Times at which no connection could be accepted.
    package var acceptFailures: UInt64 = 0

    /// Requests that asked for a decision, for a tester: those that were shown it, those whose time was
    /// over, and those that nobody had signed.
    package var previewsShown: UInt64 = 0
    package var previewsExpired: UInt64 = 0
    package var previewsForged: UInt64 = 0

    /// Bytes of request bodies that were discarded.
    package var discardedBytes: UInt64 = 0
    /// Request bodies that were discarded only in part, by `DiscardCut`.
    package var discardsOverSize: UInt64 = 0
    package var discardsOverTime: UInt64 = 0
    package var discardsOverBudget: UInt64 = 0

    package init() {}

    /// Counts a body that is discarded only in part.
    package mutating func countCut(_ cut: DiscardCut) {
        switch cut {
        case .size: self.discardsOverSize += 1
        case .time: self.discardsOverTime += 1
        case .budget: self.discardsOverBudget += 1
        }
    }

    /// Adds requests of the same terms.
    package mutating func add(_ terms: RequestTerms, times count: UInt64) {
        self.requests += count
        switch terms.kind {
        case .allow: self.allowed += count
        case .recommend: self.recommended += count
        case .require: self.required += count
        case .maintenance: self.maintenance += count
        }
        switch terms.gap {
        case .missing: self.identityMissing += count
        case .unreadable: self.identityUnreadable += count
        case nil: break
        }
        if !terms.observed.isEmpty { self.observed += count }
    }

    package static func + (left: GateCounters, right: GateCounters) -> GateCounters {
        var sum = left
        sum.requests += right.requests
        sum.allowed += right.allowed
        sum.recommended += right.recommended
        sum.required += right.required
        sum.maintenance += right.maintenance
        sum.observed += right.observed
        sum.identityMissing += right.identityMissing
        sum.identityUnreadable += right.identityUnreadable
        sum.malformed += right.malformed
        sum.upstreamFailures += right.upstreamFailures
        sum.launchChecks += right.launchChecks
        sum.eventStreams += right.eventStreams
        sum.eventsSent += right.eventsSent
        sum.revoked += right.revoked
        sum.connectionsAccepted += right.connectionsAccepted
        sum.connectionsRefused += right.connectionsRefused
        sum.connectionsPerAddressRefused += right.connectionsPerAddressRefused
        sum.proxyHeadersRefused += right.proxyHeadersRefused
        sum.requestsShed += right.requestsShed
        sum.requestsLate += right.requestsLate
        sum.descriptorsExhausted += right.descriptorsExhausted
        sum.acceptFailures += right.acceptFailures
        sum.previewsShown += right.previewsShown
        sum.previewsExpired += right.previewsExpired
        sum.previewsForged += right.previewsForged
        sum.discardedBytes += right.discardedBytes
        sum.discardsOverSize += right.discardsOverSize
        sum.discardsOverTime += right.discardsOverTime
        sum.discardsOverBudget += right.discardsOverBudget
        return sum
    }
}
