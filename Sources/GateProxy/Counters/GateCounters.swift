package import GatePolicy

/// The counters since startup, for one event loop or summed over all of them.
package struct GateCounters: Equatable, Sendable {
    package var requests: UInt64 = 0
    package var allowed: UInt64 = 0
    package var recommended: UInt64 = 0
    package var required: UInt64 = 0
    package var maintenance: UInt64 = 0
    /// Requests that a pass has allowed.
    package var passed: UInt64 = 0
    /// Requests whose pass was rejected, by reason; reasons without requests are absent.
    package var passes: [Pass.Refusal: UInt64] = [:]
    /// Requests that a rule or policy in observe mode would have denied.
    package var observed: UInt64 = 0
    /// Requests in which a required part of the identity is missing, and those in which it is unparsable.
    package var identityMissing: UInt64 = 0
    package var identityUnreadable: UInt64 = 0
    /// Requests that were invalid HTTP.
    package var malformed: UInt64 = 0
    /// Responses with status 502, 503 or 504 that the gate sent in place of the backend's response.
    package var upstreamFailures: UInt64 = 0

    /// Launch checks, which are requests from clients for their own status.
    package var launchChecks: UInt64 = 0
    /// Event streams that were opened, and events that were sent on them.
    package var eventStreams: UInt64 = 0
    package var eventsSent: UInt64 = 0
    /// Responses that were ended because new rules or a scheduled change no longer allowed them.
    package var revoked: UInt64 = 0

    /// Client connections that were accepted, counted before limits are checked.
    package var connectionsAccepted: UInt64 = 0
    /// Connections that were rejected because of the overall limit, and those rejected because of the limit per
    /// address.
    package var connectionsRefused: UInt64 = 0
    package var connectionsPerAddressRefused: UInt64 = 0
    /// Connections whose PROXY protocol header was malformed, missing, or sent by an untrusted peer.
    package var proxyHeadersRefused: UInt64 = 0
    /// Requests that were rejected because of a limit or a lack of resources.
    ///
    /// In order, the reasons are too many requests waiting for the backend, an overloaded event loop, and no file
    /// descriptor left for a backend connection.
    package var requestsShed: UInt64 = 0
    package var requestsLate: UInt64 = 0
    package var descriptorsExhausted: UInt64 = 0
    /// Failed attempts to accept a connection.
    package var acceptFailures: UInt64 = 0

    /// Preview requests with a valid token, with an expired token, and with an invalid signature.
    package var previewsShown: UInt64 = 0
    package var previewsExpired: UInt64 = 0
    package var previewsForged: UInt64 = 0

    /// Bytes of request bodies that were discarded.
    package var discardedBytes: UInt64 = 0
    /// Request bodies of which only a part was discarded, with one counter for each `DiscardCut`.
    package var discardsOverSize: UInt64 = 0
    package var discardsOverTime: UInt64 = 0
    package var discardsOverBudget: UInt64 = 0

    /// Requests sent to the default backend because the backend of their route could not be reached.
    package var routeFallbacks: UInt64 = 0

    /// Decisions on authorization requests, by gateway.
    package var decisions = DecisionCounts()

    package init() {}

    /// Counts a body of which only a part is discarded.
    package mutating func countCut(_ cut: DiscardCut) {
        switch cut {
        case .size: self.discardsOverSize += 1
        case .time: self.discardsOverTime += 1
        case .budget: self.discardsOverBudget += 1
        }
    }

    /// Adds `count` requests with the same terms.
    package mutating func add(_ terms: RequestTerms, times count: UInt64) {
        self.requests += count
        switch terms.kind {
        case .allow where terms.isPassed, .recommend where terms.isPassed: self.passed += count
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
        for counter in self.plainCounters { sum[keyPath: counter] += right[keyPath: counter] }
        sum.passes.merge(right.passes, uniquingKeysWith: +)
        sum.decisions = left.decisions + right.decisions
        return sum
    }

    /// The counters that are single numbers.
    private static var plainCounters: [WritableKeyPath<GateCounters, UInt64>] {
        [
            \.requests, \.allowed, \.recommended, \.required, \.maintenance, \.passed, \.observed,
            \.identityMissing, \.identityUnreadable, \.malformed, \.upstreamFailures,
            \.launchChecks, \.eventStreams, \.eventsSent, \.revoked, \.connectionsAccepted,
            \.connectionsRefused, \.connectionsPerAddressRefused, \.proxyHeadersRefused,
            \.requestsShed, \.requestsLate, \.descriptorsExhausted, \.acceptFailures,
            \.routeFallbacks, \.previewsShown, \.previewsExpired, \.previewsForged,
            \.discardedBytes, \.discardsOverSize, \.discardsOverTime, \.discardsOverBudget,
        ]
    }
}

/// The reason why the gate stopped reading the body of a denied request.
package enum DiscardCut: CaseIterable, Sendable {
    /// The body exceeds the size limit.
    case size
    /// The time limit for the body has passed, or the client has stopped sending data.
    case time
    /// The budget of the connection, the client or the gate is used up.
    case budget
}
