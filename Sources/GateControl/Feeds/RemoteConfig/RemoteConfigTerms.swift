internal import GatePolicy

/// The terms of a template for the clients of one platform.
struct RemoteConfigTerms: Equatable {
    /// The parameters that are looked at.
    struct Names: Equatable {
        var minimum: String
        /// The first that is there counts.
        var latest: [String]
    }

    var minimum: AppVersion?
    var blocked: [VersionRange] = []
    /// The floors of some builds beyond those of all.
    var blockedBuilds: [BlockedBuilds] = []
    var recommended: AppVersion?
    /// The conditions that the gate cannot decide, by name.
    var undecided: [String] = []
    /// Remarks for operators on how these were found.
    var notes: [String] = []

    init(
        _ template: RemoteConfigTemplate,
        for client: RemoteConfigClient,
        _ names: Names
    ) throws(RemoteConfigError) {
        let latest = names.latest.first { template.parameters[$0] != nil }
        for name in [names.minimum, latest ?? names.latest[0]]
        where template.parameters[name] == nil {
            guard let found = template.misspelling(of: name, besides: names) else { continue }
            throw .misspelt(parameter: name, found: found)
        }
        guard template.parameters[names.minimum] != nil || latest != nil else {
            throw .missingParameters([names.minimum, names.latest[0]])
        }
        var reading = RemoteConfigReading(template: template, client: client)
        if let minimum = template.parameters[names.minimum] {
            let floors = try Self.floors(names.minimum, minimum, &reading)
            // A client that states no build is asked for what all builds are asked for.
            let minimums = floors.map(\.blocked.minimum)
            self.minimum =
                minimums.contains(nil) ? nil : minimums.compactMap(\.self).min()
            self.blocked = floors[0].blocked.ranges.filter { range in
                floors.allSatisfy { $0.blocked.ranges.contains(range) }
            }
            for floor in floors { self.add(floor.blocked, for: floor.builds) }
        }
        if let latest, let parameter = template.parameters[latest] {
            self.recommended = try self.recommended(latest, parameter, &reading)
        }
        self.undecided = reading.undecided
        self.notes += reading.notes
    }

    /// The floors for the clients of each part of all builds.
    private static func floors(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> [(builds: ClosedRange<UInt64>, blocked: BlockedVersions)] {
        var floors: [(builds: ClosedRange<UInt64>, blocked: BlockedVersions)] = []
        for builds in reading.builds(of: parameter) {
            var blocked = BlockedVersions()
            for versions in reading.versions(of: parameter) {
                let piece = ClientPiece(versions: versions, builds: builds)
                switch try reading.outcome(name, parameter, in: piece) {
                case .nothing: continue
                case .version(let floor): blocked.block(below: floor, in: versions)
                case .unknown(let reason): throw .unknowable(parameter: name, reason: reason)
                }
            }
            if let last = floors.last, last.blocked == blocked {
                let all = last.builds.lowerBound...builds.builds.upperBound
                floors[floors.count - 1].builds = all
            } else {
                floors.append((builds.builds, blocked))
            }
        }
        return floors
    }

    /// Adds what these builds are asked for beyond what all are.
    private mutating func add(_ blocked: BlockedVersions, for builds: ClosedRange<UInt64>) {
        let below = blocked.minimum.flatMap { floor in
            self.minimum.map { $0 < floor ? ">=\($0) <\(floor)" : nil } ?? "<\(floor)"
        }
        let surplus =
            [below.flatMap { try? VersionRange(parsing: $0) }].compactMap(\.self)
            + blocked.ranges.filter { !self.blocked.contains($0) }
        self.blockedBuilds += surplus.map { BlockedBuilds(BuildRange(builds), of: $0) }
    }

    /// One version for all: the lowest that any of the clients is told.
    private mutating func recommended(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> AppVersion? {
        var lowest: AppVersion?
        for builds in reading.builds(of: parameter) {
            for versions in reading.versions(of: parameter) {
                let piece = ClientPiece(versions: versions, builds: builds)
                switch try reading.outcome(name, parameter, in: piece) {
                case .nothing: return nil
                case .version(let version): lowest = lowest.map { min($0, version) } ?? version
                case .unknown(let reason):
                    // Nobody is turned away by a recommendation: the floor is not held up for it.
                    self.notes.append("'\(name)' \(reason): nothing is recommended")
                    return nil
                }
            }
        }
        return lowest
    }
}

extension RemoteConfigTemplate {
    /// A parameter with a version whose name is nearly the one of a parameter that is not there.
    fileprivate func misspelling(
        of name: String,
        besides names: RemoteConfigTerms.Names
    ) -> String? {
        let known = [names.minimum] + names.latest
        let strangers = self.parameters.filter { !known.contains($0.key) && $0.value.hasVersion }
        return strangers.keys.sorted().first { stranger in
            Spelling.nearest(to: stranger, among: known) == name
        }
    }
}

extension RemoteConfigTemplate.Parameter {
    /// Whether one of its values is a version with more than one part: whole numbers are of everything.
    fileprivate var hasVersion: Bool {
        let values = [self.defaultValue].compactMap(\.self) + self.conditionalValues.values
        return values.contains { value in
            guard case .text(let text) = value else { return false }
            return text.contains(".") && (try? AppVersion(parsing: text)) != nil
        }
    }
}
