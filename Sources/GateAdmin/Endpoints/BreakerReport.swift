internal import GateCensus
internal import GateControl
internal import GatePolicy

/// The report on the circuit breaker for operators; `versiongate breaker` decodes it.
package struct BreakerReport: Codable {
    package struct Trip: Codable {
        /// The ID of the rule, or `unidentified`.
        package let rule: String
        package let at: String
        /// The cause: `builds` or `missing-fields`.
        package let cause: String
        /// The app of the affected clients; this and `platform` are `nil` if all clients are affected.
        package let app: String?
        package let platform: String?
        package let clients: Int
        /// The share of denied clients, from 0 to 1.
        package let share: Double
        package let predicted: Double
        package let refusedRequests: UInt64
        package let revision: String

        init(_ trip: BreakerTrip) {
            self.rule = trip.rule
            self.at = "\(Timestamp(secondsSinceEpoch: trip.time))"
            self.cause = trip.cause.rawValue
            self.app = trip.app
            self.platform = trip.platform
            self.clients = trip.clients
            self.share = (trip.share * 1_000).rounded() / 1_000
            self.predicted = (trip.predicted * 1_000).rounded() / 1_000
            self.refusedRequests = trip.refusedRequests
            self.revision = trip.revision
        }
    }

    /// The active rules for which the breaker has tripped, so that they only observe.
    package let tripped: [Trip]
    /// The rules with a recent change that the breaker watches.
    package let watched: [String]

    init(_ status: Breaker.Status) {
        self.tripped = status.trips.map { Trip($0) }
        self.watched = status.watched
    }
}
