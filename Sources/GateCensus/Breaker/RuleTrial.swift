package import GatePolicy

/// The clients seen since a change to the rules, compared with a prediction.
///
/// Each client that has sent a request since the change counts once, with at most eight clients per
/// address.
package struct RuleTrial: Sendable {
    /// More denials than predicted.
    package struct Excess: Sendable, Equatable {
        /// The likely reason.
        package enum Cause: String, Sendable, Codable {
            /// More clients than predicted have builds that the rules deny.
            case builds
            /// Clients send no version fields, for example because a proxy removes them.
            case missingFields = "missing-fields"
        }

        package let cause: Cause
        /// The app and platform; `nil` stands for all clients together.
        package let audience: Impact.Audience?
        /// The number of clients that were counted.
        package let clients: Int
        /// The share of these clients that were denied, or that sent no version, from 0 to 1.
        package let share: Double
        /// The predicted share.
        package let predicted: Double
    }

    /// Sketches of the clients of an audience.
    private struct Count: Sendable {
        var all = HyperLogLog()
        var refused = HyperLogLog()
        var versionless = HyperLogLog()
        var refusedVersionless = HyperLogLog()

        mutating func add(_ clients: HyperLogLog, isRefused: Bool, isVersionless: Bool) {
            self.all.merge(clients)
            if isRefused { self.refused.merge(clients) }
            if isVersionless { self.versionless.merge(clients) }
            if isRefused, isVersionless { self.refusedVersionless.merge(clients) }
        }

        mutating func add(_ other: Count) {
            self.all.merge(other.all)
            self.refused.merge(other.refused)
            self.versionless.merge(other.versionless)
            self.refusedVersionless.merge(other.refusedVersionless)
        }
    }

    /// The minimum number of clients for a result.
    package static let fewest = 200
    /// The number of seconds after which a new count starts, if there were enough clients.
    ///
    /// Without new counts, the clients counted earlier would hide changes that start later.
    private static let span: Int64 = 60

    /// The IDs of the rules on trial, and `unidentified` for the policy for unidentified clients.
    package let suspects: Set<String>
    package private(set) var since: Timestamp
    /// The number of requests that each rule has denied since the change.
    package private(set) var refusedRequests: [String: UInt64] = [:]
    /// The counts by app and platform; the key `nil` stands for all clients.
    private var counts: [Impact.Audience?: Count] = [:]
    private var former: [Impact.Audience?: Count] = [:]
    private var spanStart: Timestamp

    package init(of suspects: Set<String>, since: Timestamp) {
        self.suspects = suspects
        self.since = since
        self.spanStart = since
    }

    /// Restarts the count, because a new prediction applies from now on.
    package mutating func restart(at now: Timestamp) {
        (self.counts, self.former, self.spanStart) = ([:], [:], now)
    }

    /// Adds counted requests.
    ///
    /// - Parameters:
    ///   - cells: The requests since the last call, with their clients.
    ///   - ruleSet: The rules that evaluated the requests.
    ///   - now: The current time.
    package mutating func add(
        _ cells: [CensusCell: CensusFigures],
        by ruleSet: RuleSet,
        at now: Timestamp
    ) {
        let isEnough = self.counts[nil].map { $0.all.count >= Self.fewest } ?? false
        if isEnough, self.spanStart.seconds(until: now) >= Self.span {
            (self.former, self.counts, self.spanStart) = (self.counts, [:], now)
        }
        for (cell, figures) in cells {
            let rule = cell.outcome.rule
            let isRefused =
                cell.outcome.kind >= .require
                && (self.suspects.contains(rule) || rule == RuleExpectation.unidentified)
            if isRefused { self.refusedRequests[rule, default: 0] += figures.requests }
            guard !figures.clients.isEmpty else { continue }
            let identity = cell.client?.identity ?? ClientIdentity()
            let terms = ruleSet.terms(of: .preflight, for: identity)
            let audience = Impact.Audience(app: terms.app, platform: terms.platform)
            for key in [nil, audience] {
                self.counts[key, default: Count()].add(
                    figures.clients,
                    isRefused: isRefused,
                    isVersionless: cell.client?.isVersionless ?? false
                )
            }
        }
    }

    /// Returns the excess over the prediction, if it is above a limit.
    ///
    /// - Parameters:
    ///   - prediction: The predicted shares.
    ///   - limit: The limit as a share of the clients, from 0 to 1.
    /// - Returns: The excess, or `nil` if it is not above the limit or there are too few clients.
    package func excess(over prediction: RefusalPrediction, limit: Double) -> Excess? {
        let counts = self.counts.merging(self.former) { own, former in
            var sum = own
            sum.add(former)
            return sum
        }
        if let predicted = prediction.versionless, let all = counts[nil],
            let share = Self.share(all.versionless, of: all), share > predicted + limit
        {
            return Excess(
                cause: .missingFields,
                audience: nil,
                clients: all.all.count,
                share: share,
                predicted: predicted
            )
        }
        let audiences = counts.keys.compactMap(\.self)
            .sorted { ($0.app, $0.platform) < ($1.app, $1.platform) }
        for audience in audiences {
            let count = counts[audience] ?? Count()
            let predicted = prediction.refused(of: audience)
            guard let share = Self.share(count.refused, of: count), share > predicted + limit
            else { continue }
            let isByFields = count.refusedVersionless.count * 2 > count.refused.count
            return Excess(
                cause: isByFields ? .missingFields : .builds,
                audience: audience,
                clients: count.all.count,
                share: share,
                predicted: predicted
            )
        }
        return nil
    }

    /// Returns whether the change has been observed for at least `seconds` seconds, and with enough clients.
    package func isOver(at now: Timestamp, after seconds: Int64) -> Bool {
        guard self.since.seconds(until: now) >= seconds else { return false }
        return !self.former.isEmpty || self.counts[nil].map { $0.all.count >= Self.fewest } ?? false
    }

    private static func share(_ part: HyperLogLog, of count: Count) -> Double? {
        let all = count.all.count
        guard all >= Self.fewest else { return nil }
        return min(1, Double(part.count) / Double(all))
    }
}
