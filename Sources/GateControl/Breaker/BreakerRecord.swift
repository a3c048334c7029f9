private import FoundationEssentials
package import GateCensus
internal import GatePolicy
internal import GateRecords
internal import GateSystem

/// A rule that does but observe since it refused more clients than was predicted.
package struct BreakerTrip: Sendable, Equatable, Codable {
    /// The id of the rule, or `unidentified`.
    package let rule: String
    /// Stands for its terms: others are another rule.
    let terms: String
    /// Seconds since 1970.
    package let time: Int64
    package let cause: RuleTrial.Excess.Cause
    /// The app and platform in question; `nil`: all clients.
    package let app: String?
    package let platform: String?
    /// The clients that were counted, and the share of them, and the share that was predicted.
    package let clients: Int
    package let share: Double
    package let predicted: Double
    /// Requests that the rule refused between the change and the trip.
    package let refusedRequests: UInt64
    /// The revision of the rules.
    package let revision: String
}

/// The breaker's memory, which outlives the process.
struct BreakerRecord: Sendable, Equatable, Codable {
    /// A change that is being watched.
    struct Watch: Sendable, Equatable, Codable {
        /// The names of the rules, with what stands for their terms.
        var rules: [String: String]
        /// Seconds since 1970.
        var since: Int64
    }

    private static let name = "breaker.json"
    private static let maximumSize = 1 << 20
    /// Trips that are remembered, the newest.
    private static let mostTrips = 100

    /// The shape of this record; another one is not read.
    var format = 1
    private(set) var trips: [BreakerTrip] = []
    var watch: Watch?

    init() {}

    /// Reads it; `nil` if there is none, or none that can be used, of which `report` is told.
    init?(in folder: StateFolder, report: (String) -> Void) {
        do {
            let bytes = try folder.read(Self.name, atMost: Self.maximumSize)
            self = try JSONDecoder().decode(BreakerRecord.self, from: Data(bytes))
            guard self.format == 1 else {
                report("\(folder.path)/\(Self.name) is of another release")
                return nil
            }
        } catch FileContent.Failure.missing {
            return nil
        } catch {
            report("\(folder.path)/\(Self.name) cannot be used: \(error)")
            return nil
        }
    }

    func save(in folder: StateFolder) throws(StateFolder.Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { return }
        try folder.replace(Self.name, with: Array(bytes))
    }

    mutating func add(_ trips: [BreakerTrip]) {
        self.trips = Array((self.trips + trips).suffix(Self.mostTrips))
    }

    mutating func reset() { self.trips = [] }

    /// The trips of rules that still have the same terms.
    func trips(in terms: [String: String]) -> [BreakerTrip] {
        self.trips.filter { terms[$0.rule] == $0.terms }
    }
}
