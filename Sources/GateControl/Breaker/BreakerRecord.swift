package import GateCensus
internal import GatePolicy
internal import GateRecords
internal import GateSystem

/// A rule that was set to observe mode because it denied more clients than predicted.
package struct BreakerTrip: Sendable, Equatable, Codable {
    /// The ID of the rule, or `unidentified`.
    package let rule: String
    /// The digest of the rule's terms; if the terms change, the trip no longer applies.
    let terms: String
    /// The time of the trip, in seconds since 1970.
    package let time: Int64
    package let cause: RuleTrial.Excess.Cause
    /// The app and platform that the counts below are limited to; `nil` if they are not limited.
    package let app: String?
    package let platform: String?
    /// The number of counted clients, the share of denied clients, and the predicted share.
    package let clients: Int
    package let share: Double
    package let predicted: Double
    /// The number of requests that the rule denied between the change and the trip.
    package let refusedRequests: UInt64
    /// The revision of the rules at the time of the trip.
    package let revision: String
}

/// The stored state of the circuit breaker.
struct BreakerRecord: Sendable, Equatable, Codable {
    /// A change that is being monitored.
    struct Watch: Sendable, Equatable, Codable {
        /// The digests of the terms of the monitored rules, by rule ID.
        var rules: [String: String]
        /// The start of the monitoring, in seconds since 1970.
        var since: Int64
    }

    private static let name = "breaker.json"
    private static let maximumSize = 1 << 20
    /// The maximum number of stored trips; the newest trips are kept.
    private static let mostTrips = 100

    /// The format version; records with a different version are not read.
    var format = 1
    private(set) var trips: [BreakerTrip] = []
    var watch: Watch?

    init() {}

    /// Reads the record, or returns `nil` if there is none or it is unusable.
    ///
    /// An unusable record is reported.
    init?(in folder: StateFolder, report: (String) -> Void) {
        let record: Self? = folder.value(in: Self.name, atMost: Self.maximumSize, report: report)
        guard let record else { return nil }
        guard record.format == 1 else {
            report(
                "\(folder.path)/\(Self.name) was written in the format of another version of VersionGate"
            )
            return nil
        }
        self = record
    }

    func save(in folder: StateFolder) throws(StateFolder.Failure) {
        try folder.save(self, as: Self.name)
    }

    mutating func add(_ trips: [BreakerTrip]) {
        self.trips = Array((self.trips + trips).suffix(Self.mostTrips))
    }

    mutating func reset() { self.trips = [] }

    /// Returns the trips of rules whose terms are unchanged.
    func trips(in terms: [String: String]) -> [BreakerTrip] {
        self.trips.filter { terms[$0.rule] == $0.terms }
    }
}
