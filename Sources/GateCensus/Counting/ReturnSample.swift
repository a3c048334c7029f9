package import GatePolicy

/// A size-limited sample of the devices that rules denied, which records whether these devices
/// returned with a newer build.
///
/// A device is selected by its hash, so the sample contains either all of its requests or none. If
/// there are too many devices, devices with hashes in the upper half are removed; the remaining
/// devices are still a random sample.
package struct ReturnSample: Sendable {
    /// A request from a device, with its outcome.
    package struct Sighting: Sendable {
        package let device: Int64
        package let cell: CensusCell
    }

    /// A device that a rule denied.
    package struct Entry: Sendable, Equatable {
        package let rule: String
        /// The first version that was denied; `build` is its build, or empty if it is unknown.
        package let version: String
        package let build: String
        package let refused: Timestamp
        /// The time at which the device first passed with a newer build.
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

        /// Returns whether a client has a newer build than the denied build.
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

    /// The number of sampled devices that a rule denied, and how many of them returned.
    package struct Share: Sendable, Equatable {
        package var refused = 0
        package var returned = 0
    }

    /// The time in seconds after which a device is removed.
    package static let memory: Int64 = 30 * 86_400
    /// The default maximum number of devices to record, each with all the rules that denied it.
    package static let usualLimit = 16_384
    /// The highest possible hash.
    package static let allDevices = Int64.max

    private let limit: Int
    package private(set) var devices: [Int64: [Entry]] = [:]
    /// The highest hash that is selected.
    package private(set) var highest: Int64
    /// The devices whose entries have changed since the last `takeChanges()`.
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

    /// Removes devices with higher hashes, because some of their requests were not recorded.
    package mutating func narrow(to highest: Int64) {
        guard highest < self.highest else { return }
        self.highest = highest
        self.devices = self.devices.filter { $0.key <= highest }
    }

    /// Adds sightings from about the same time.
    ///
    /// Denials are processed first, regardless of their order.
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

    /// Removes devices that were denied too long ago.
    package mutating func forget(before now: Timestamp) {
        let start = now.advanced(by: -Self.memory)
        for (device, entries) in self.devices where entries.contains(where: { $0.refused < start })
        {
            let kept = entries.filter { $0.refused >= start }
            self.devices[device] = kept.isEmpty ? nil : kept
            self.changed.insert(device)
        }
    }

    /// Returns the devices whose entries have changed since the last call.
    ///
    /// An empty list of entries means that the device was removed.
    package mutating func takeChanges() -> [(device: Int64, entries: [Entry])] {
        defer { self.changed = [] }
        return self.changed.map { ($0, self.devices[$0] ?? []) }
    }

    /// The numbers of denied and returned devices, by rule.
    package var shares: [String: Share] {
        var shares: [String: Share] = [:]
        for entry in self.devices.values.joined() {
            shares[entry.rule, default: Share()].refused += 1
            if entry.returned != nil { shares[entry.rule]?.returned += 1 }
        }
        return shares
    }
}
