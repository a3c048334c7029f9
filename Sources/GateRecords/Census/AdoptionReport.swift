internal import GateCensus
package import GatePolicy

/// The number of devices with each version, by day.
package struct AdoptionReport: Sendable {
    /// The maximum number of versions per app and platform; the other versions are combined.
    private static let limit = 40

    private let period: ReportPeriod
    private let days: [AdoptionDay]

    /// Reads the days of a period; the first and the last day may be incomplete.
    package init(
        _ store: CensusStore,
        since start: Timestamp,
        until end: Timestamp
    ) throws(CensusStore.Failure) {
        self.period = ReportPeriod(since: start, until: end)
        self.days = try store.adoption(since: start, until: end)
    }
}

/// The estimated device counts for a day, by app, platform and version.
struct AdoptionDay: Sendable {
    /// The day, as the number of days since 1970.
    let day: Int64
    private(set) var devices: [CensusAudience: Int] = [:]
    private(set) var versions: [CensusAudience: [String?: Int]] = [:]

    /// Counts the devices in the cells for a day.
    init(_ day: Int64, _ cells: some Sequence<(CensusClient, HyperLogLog)>) {
        self.day = day
        var all: [CensusAudience: HyperLogLog] = [:]
        var sketches: [CensusAudience: [String?: HyperLogLog]] = [:]
        for (client, devices) in cells {
            let group = CensusAudience(client)
            all[group, default: HyperLogLog()].merge(devices)
            sketches[group, default: [:]][client.version.text, default: HyperLogLog()].merge(
                devices
            )
        }
        self.devices = all.mapValues(\.count)
        self.versions = sketches.mapValues { $0.mapValues(\.count) }
    }
}

extension AdoptionReport: Encodable {
    private enum Key: String, CodingKey {
        case days, groups
    }

    private struct GroupEntry: Encodable {
        let app: String?
        let platform: String?
        /// The number of devices on each day.
        let devices: [Int]
        let versions: [VersionEntry]
    }

    private struct VersionEntry: Encodable {
        let version: String?
        let isOther: Bool?
        /// The number of devices on each day.
        let devices: [Int]
    }

    package func encode(to encoder: any Encoder) throws {
        try self.period.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        let dates = self.days.map { "\(Timestamp(secondsSinceEpoch: $0.day * 86_400))".prefix(10) }
        try container.encode(dates.map(String.init), forKey: .days)
        try container.encode(self.groups, forKey: .groups)
    }

    /// The groups, in descending order of devices.
    private var groups: [GroupEntry] {
        Set(self.days.flatMap(\.devices.keys)).sorted(
            byRequests: { group in self.days.reduce(0) { $0 + ($1.devices[group] ?? 0) } },
            thenBy: \.name
        ).map { group in
            GroupEntry(
                app: group.app,
                platform: group.platform,
                devices: self.days.map { $0.devices[group] ?? 0 },
                versions: self.versions(of: group)
            )
        }
    }

    private func versions(of group: CensusAudience) -> [VersionEntry] {
        var counts: [String?: [Int]] = [:]
        for (place, day) in self.days.enumerated() {
            for (version, devices) in day.versions[group] ?? [:] {
                counts[version, default: Array(repeating: 0, count: self.days.count)][place] =
                    devices
            }
        }
        let order = counts.sorted(byRequests: { $0.value.reduce(0, +) }, thenBy: { $0.key ?? "" })
        let shown = order.prefix(Self.limit).map { version, devices in
            VersionEntry(version: version, isOther: nil, devices: devices)
        }
        let rest = order.dropFirst(Self.limit).map(\.value)
        guard !rest.isEmpty else { return shown }
        let sums = self.days.indices.map { place in rest.reduce(0) { $0 + $1[place] } }
        return shown + [VersionEntry(version: nil, isOther: true, devices: sums)]
    }
}
