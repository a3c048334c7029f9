internal import GateCensus
internal import GateControl
internal import GatePolicy

/// The breaker, as operators see it.
struct BreakerReport: Encodable {
    struct Trip: Encodable {
        /// The id of the rule, or `unidentified`.
        let rule: String
        let at: String
        /// `builds` or `missing-fields`.
        let cause: String
        /// The app and platform in question; not there if it is all clients.
        let app: String?
        let platform: String?
        let clients: Int
        /// Of the clients, from 0 to 1.
        let share: Double
        let predicted: Double
        let refusedRequests: UInt64
        let revision: String

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
    let tripped: [Trip]
    /// The rules whose change is being watched.
    let watched: [String]

    init(_ status: Breaker.Status) {
        self.tripped = status.trips.map { Trip($0) }
        self.watched = status.watched
    }
}
