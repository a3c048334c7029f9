package import GatePolicy

/// Devices that rules refused, and whether they came back with a newer build: a sample of bounded size.
///
/// A device is chosen by its hash, so that it is in the sample with all of its requests or with none. When there
/// are too many, those with the upper half of all hashes go: the others stay a fair choice.
package struct ReturnSample: Sendable {
    /// A request of a device with an outcome.
    package struct Sighting: Sendable {
        package let device: Int64
        package let cell: CensusCell

        package init(device: Int64, cell: CensusCell) {
            self.device = device
            self.cell = cell
        }
    }

    /// A device that a rule refused.
    package struct Entry: Sendable, Equatable {
        package let rule: String
        /// The build that was refused first.
        package let version: String
        package let build: String
        package let refused: Timestamp
        /// When it first passed with a newer one.
        package var returned: Timestamp?

        package init(
            rule: String,
            version: String,
            build: String,
            refused: Timestamp,
            returned: Timestamp? = nil
        ) {
            self.rule = rule
            self.version = version
            self.build = build
            self.refused = refused
            self.returned = returned
        }

        /// Whether a client has a newer build.
        func isOlder(than client: CensusClient) -> Bool {
            guard let text = client.version.text, let found = try? AppVersion(parsing: text),
                let old = try? AppVersion(parsing: self.version)
            else { return false }
            if found != old { return found > old }
            guard let text = client.build.text, let build = try? BuildNumber(parsing: text),
                let oldBuild = try? BuildNumber(parsing: self.build)
            else { return false }
            return build > oldBuild
        }
    }

    /// The devices of the sample that a rule refused, and those of them that came back.
    package struct Share: Sendable, Equatable {
        package var refused = 0
        package var returned = 0
    }

    /// Seconds for which a device is remembered.
    package static let memory: Int64 = 30 * 86_400
    /// Devices that are remembered, with all rules that refused them.
    package static let usualLimit = 16_384
    /// The highest hash there is.
    package static let allDevices = Int64.max

    private let limit: Int
    package private(set) var devices: [Int64: [Entry]] = [:]
    /// The highest hash that is chosen.
    package private(set) var highest: Int64
    /// Devices whose entries are others since somebody asked.
    private var changed: Set<Int64> = []

    package init(
        limit: Int = Self.usualLimit,
        highest: Int64 = Self.allDevices,
        _ devices: [Int64: [Entry]] = [:]
    ) {
        self.limit = limit
        self.highest = highest
        self.devices = devices
        self.shrink()
    }

    package func knows(_ device: Int64) -> Bool { self.devices[device] != nil }

    /// Leaves out devices with higher hashes: somebody did not look at them.
    package mutating func narrow(to highest: Int64) {
        guard highest < self.highest else { return }
        self.highest = highest
        self.devices = self.devices.filter { $0.key <= highest }
    }

    /// Adds what was seen at about the same time: refusals first, whatever order it came in.
    package mutating func add(_ sightings: [Sighting], at now: Timestamp) {
        for sighting in sightings where sighting.cell.outcome.kind == .require {
            self.refuse(sighting, at: now)
        }
        for sighting in sightings where sighting.cell.outcome.kind < .require {
            self.pass(sighting, at: now)
        }
        self.shrink()
    }

    private mutating func refuse(_ sighting: Sighting, at now: Timestamp) {
        let rule = sighting.cell.outcome.rule
        guard sighting.device <= self.highest, let client = sighting.cell.client,
            let version = client.version.text,
            self.devices[sighting.device]?.contains(where: { $0.rule == rule }) != true
        else { return }
        let entry = Entry(
            rule: rule,
            version: version,
            build: client.build.text ?? "",
            refused: now
        )
        self.devices[sighting.device, default: []].append(entry)
        self.changed.insert(sighting.device)
    }

    private mutating func pass(_ sighting: Sighting, at now: Timestamp) {
        guard let client = sighting.cell.client, let entries = self.devices[sighting.device] else {
            return
        }
        for (index, entry) in entries.enumerated()
        where entry.returned == nil && entry.isOlder(than: client) {
            self.devices[sighting.device]?[index].returned = now
            self.changed.insert(sighting.device)
        }
    }

    private mutating func shrink() {
        while self.devices.count > self.limit, self.highest > 1 {
            self.narrow(to: self.highest / 2)
        }
    }

    /// Forgets those that were refused too long ago.
    package mutating func forget(before now: Timestamp) {
        let start = now.advanced(by: -Self.memory)
        for (device, entries) in self.devices where entries.contains(where: { $0.refused < start })
        {
            let kept = entries.filter { $0.refused >= start }
            self.devices[device] = kept.isEmpty ? nil : kept
            self.changed.insert(device)
        }
    }

    /// The devices whose entries are others since the last time; one without any is gone.
    package mutating func takeChanges() -> [(device: Int64, entries: [Entry])] {
        defer { self.changed = [] }
        return self.changed.map { ($0, self.devices[$0] ?? []) }
    }

    /// The later fate of those that each rule refused.
    package var shares: [String: Share] {
        var shares: [String: Share] = [:]
        for entry in self.devices.values.joined() {
            shares[entry.rule, default: Share()].refused += 1
            if entry.returned != nil { shares[entry.rule]?.returned += 1 }
        }
        return shares
    }
}
