internal import GateCensus
internal import GateControl
internal import GatePolicy

/// The breaker, as operators see it; `versiongate breaker` reads it again.
package struct BreakerReport: Codable {
    package struct Trip: Codable {
        /// The id of the rule, or `unidentified`.
        package let rule: String
        package let at: String
        /// `builds` or `missing-fields`.
        package let cause: String
        /// The app and platform in question; not there if it is all clients.
        package let app: String?
        package let platform: String?
        package let clients: Int
        /// Of the clients, from 0 to 1.
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

    /// The rules in force that have tripped, and do but observe.
    package let tripped: [Trip]
    /// The rules whose change is being watched.
    package let watched: [String]

    init(_ status: Breaker.Status) {
        self.tripped = status.trips.map { Trip($0) }
        self.watched = status.watched
    }
}
