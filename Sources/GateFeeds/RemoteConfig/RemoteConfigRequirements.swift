internal import GatePolicy
internal import GateRules

/// The floors and recommendations that a Remote Config template contains for one platform.
struct RemoteConfigRequirements: Equatable {
    /// The names of the parameters that are evaluated.
    struct Names: Equatable {
        var minimum: String
        /// The names for the newest version; the first parameter that exists applies.
        var latest: [String]
        var minimumBuild = "min_build"
        var latestBuild = "latest_build"
        /// The switch that enables the enforcement of floors.
        var enforce: String?
        var blockedVersions: String?
        var blockedBuilds: String?
        /// Parameters with other requirements; each of them alone makes a template valid.
        var others: [String] = []
    }

    /// The requirements; `blockedBuilds` also contains the versions that are blocked for only some
    /// clients.
    var demands = FeedDemands()
    /// The names of the conditions that the gate cannot evaluate.
    var undecided: [String] = []
    /// Remarks for operators about the evaluation.
    var notes: [String] = []

    init(
        _ template: RemoteConfigTemplate,
        for client: RemoteConfigClient,
        _ names: Names,
        before: AppVersion? = nil
    ) throws(RemoteConfigError) {
        let latestName = names.latest.first { template[$0] != nil } ?? names.latest[0]
        // A template with builds does not need versions.
        let hasBuilds = [names.minimumBuild, names.latestBuild].contains { template[$0] != nil }
        for name in [names.minimum, latestName] where template[name] == nil && !hasBuilds {
            guard let found = template.misspelling(of: name, besides: names) else { continue }
            throw .misspelt(parameter: name, found: found)
        }
        let all =
            [names.minimum, latestName, names.minimumBuild, names.latestBuild]
            + [names.blockedVersions, names.blockedBuilds].compactMap(\.self) + names.others
        guard all.contains(where: { template[$0] != nil }) else {
            throw .missingParameters([names.minimum, names.latest[0]])
        }
        var reading = RemoteConfigEvaluation(template: template, client: client, before: before)
        let enforce = names.enforce.flatMap { reading.parameter($0) }
        let minimum = reading.parameter(names.minimum)
        let minimumBuild = reading.parameter(names.minimumBuild)
        if let minimum { try self.setFloor(minimum, unless: enforce, &reading) }
        if let minimumBuild { try self.setBuildFloor(minimumBuild, unless: enforce, &reading) }
        try self.setBlocks(names, unless: enforce, &reading)
        let latest = reading.parameter(latestName)
        let latestBuild = reading.parameter(names.latestBuild)
        self.demands.recommended = try self.lowest(latest, or: minimum, unless: enforce, &reading) {
            (named, piece, reading) throws(RemoteConfigError) in
            try reading.version(
                named,
                in: piece,
                or: named.name == latestName ? "latestBuild" : "minBuild"
            )
        }
        self.demands.recommendedBuild = try self.lowest(
            latestBuild,
            or: minimumBuild,
            unless: enforce,
            &reading
        ) { (named, piece, reading) throws(RemoteConfigError) in
            try reading.build(named, in: piece)
        }
        self.undecided = reading.undecided
        self.notes += reading.notes
    }

    /// The versions that are blocked for clients with particular builds and written forms.
    private struct Floor {
        var builds: ClosedRange<BuildNumber>
        let forms: FormPiece
        var blocked: BlockedVersions
    }

    private mutating func setFloor(
        _ minimum: RemoteConfigEvaluation.Named,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation
    ) throws(RemoteConfigError) {
        let floors = try Self.floors(minimum, unless: enforce, &reading)
        // A client without a build only has to meet the requirements that apply to every build.
        let minimums = floors.map(\.blocked.minimum)
        self.demands.minimum = minimums.contains(nil) ? nil : minimums.compactMap(\.self).min()
        self.demands.blocked = floors[0].blocked.ranges.filter { range in
            floors.allSatisfy { $0.blocked.ranges.contains(range) }
        }
        self.demands.blockedBuilds = BlockedSurplus.joined(floors.flatMap { self.surplus(of: $0) })
            .map(\.entry)
    }

    /// Returns the floors for the clients of each range of builds and each written form.
    private static func floors(
        _ minimum: RemoteConfigEvaluation.Named,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation
    ) throws(RemoteConfigError) -> [Floor] {
        var floors: [Floor] = []
        for piece in reading.pieces(of: [minimum, enforce].compactMap(\.self)) {
            let builds = piece.builds.builds
            if floors.last?.builds != builds || floors.last?.forms != piece.forms {
                floors.append(Floor(builds: builds, forms: piece.forms, blocked: .init()))
            }
            guard try reading.isEnforced(enforce, in: piece) else { continue }
            switch try reading.version(minimum, in: piece, or: "minBuild") {
            case .nothing: continue
            case .value(let floor):
                floors[floors.count - 1].blocked.block(below: floor, in: piece.versions)
            case .unknown(let reason):
                throw .unknowable(parameter: minimum.name, reason: reason)
            }
        }
        return floors.reduce(into: []) { joined, floor in
            guard let last = joined.last, last.blocked == floor.blocked, last.forms == floor.forms
            else { return joined.append(floor) }
            joined[joined.count - 1].builds = last.builds.lowerBound...floor.builds.upperBound
        }
    }

    /// Returns the requirements for only some clients, in addition to the requirements for all
    /// clients.
    private func surplus(of floor: Floor) -> [BlockedSurplus] {
        let below = floor.blocked.minimum.flatMap { minimum in
            self.demands.minimum.map { $0 < minimum ? ">=\($0) <\(minimum)" : nil } ?? "<\(minimum)"
        }
        let ranges =
            [below.flatMap { try? VersionRange(parsing: $0) }].compactMap(\.self)
            + floor.blocked.ranges.filter { !self.demands.blocked.contains($0) }
        return ranges.map {
            BlockedSurplus(versions: $0, builds: floor.builds, forms: floor.forms)
        }
    }

    private mutating func setBuildFloor(
        _ minimum: RemoteConfigEvaluation.Named,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation
    ) throws(RemoteConfigError) {
        let parameters = [minimum, enforce].compactMap(\.self)
        let (forms, builds, versions) = reading.cuts(of: parameters)
        var floors = BuildFloors()
        for forms in forms {
            for versions in versions {
                floors.begin(versions, forms)
                for builds in builds {
                    let piece = ClientPiece(versions: versions, builds: builds, forms: forms)
                    guard try reading.isEnforced(enforce, in: piece) else { continue }
                    switch try reading.build(minimum, in: piece) {
                    case .nothing: continue
                    case .value(let floor): floors.block(below: floor, in: builds)
                    case .unknown(let reason):
                        throw .unknowable(parameter: minimum.name, reason: reason)
                    }
                }
            }
        }
        self.demands.minimumBuild = floors.minimum
        self.demands.blockedBuilds += BlockedSurplus.joined(floors.surplus).map(\.entry)
    }

    /// Sets the blocks that apply to all clients; blocks for only some versions or builds are
    /// skipped, with a note.
    private mutating func setBlocks(
        _ names: Names,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation
    ) throws(RemoteConfigError) {
        if let named = names.blockedVersions.flatMap({ reading.parameter($0) }) {
            self.demands.blocked += try Self.common(
                named,
                unless: enforce,
                &reading,
                SourceValue.versionRanges
            )
        }
        if let named = names.blockedBuilds.flatMap({ reading.parameter($0) }) {
            let ranges = try Self.common(named, unless: enforce, &reading, SourceValue.buildRanges)
            self.demands.blockedBuilds += ranges.map { BlockedBuilds($0) }
        }
    }

    private static func common<Range: Hashable>(
        _ named: RemoteConfigEvaluation.Named,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation,
        _ read: (JSONValue) throws(SourceValue.Fault) -> [Range]
    ) throws(RemoteConfigError) -> [Range] {
        var lists: [[Range]] = []
        for piece in reading.pieces(of: [named, enforce].compactMap(\.self)) {
            guard try reading.isEnforced(enforce, in: piece),
                let value = try reading.certain(named, in: piece)
            else {
                lists.append([])
                continue
            }
            do throws(SourceValue.Fault) {
                lists.append(try read(value.unfolded(from: "[")))
            } catch {
                throw RemoteConfigError(error, named.name)
            }
        }
        let common = (lists.first ?? []).filter { range in
            lists.allSatisfy { $0.contains(range) }
        }
        if lists.contains(where: { $0.count > common.count }) {
            reading.note(
                "'\(named.name)' differs by version or build: only its common entries apply"
            )
        }
        return common
    }

    /// Returns one value for all clients: the lowest that any client may have.
    ///
    /// A floor that is not enforced for a client counts as a recommendation for that client.
    private mutating func lowest<Value: Comparable>(
        _ latest: RemoteConfigEvaluation.Named?,
        or minimum: RemoteConfigEvaluation.Named?,
        unless enforce: RemoteConfigEvaluation.Named?,
        _ reading: inout RemoteConfigEvaluation,
        _ read: (
            RemoteConfigEvaluation.Named, ClientPiece, inout RemoteConfigEvaluation
        ) throws(RemoteConfigError) -> RemoteConfigEvaluation.Outcome<Value>
    ) throws(RemoteConfigError) -> Value? {
        let relaxed = enforce == nil ? nil : minimum
        let parameters = [latest, relaxed, relaxed == nil ? nil : enforce].compactMap(\.self)
        guard !parameters.isEmpty else { return nil }
        var lowest: Value?
        for piece in reading.pieces(of: parameters) {
            var values: [Value] = []
            if let latest {
                switch try read(latest, piece, &reading) {
                case .nothing: break
                case .value(let value): values.append(value)
                case .unknown(let reason):
                    // A recommendation never denies a client, so an unknown recommendation does not
                    // make the floor unusable.
                    reading.note("'\(latest.name)' \(reason): nothing is recommended")
                    return nil
                }
            }
            if let relaxed, try !reading.isEnforced(enforce, in: piece),
                case .value(let value) = try read(relaxed, piece, &reading)
            {
                values.append(value)
            }
            guard let value = values.max() else { return nil }
            lowest = lowest.map { min($0, value) } ?? value
        }
        return lowest
    }
}

extension RemoteConfigEvaluation {
    /// Returns whether floors are enforced for the clients of a piece: `false` only if it is certain
    /// that the switch is off.
    fileprivate mutating func isEnforced(
        _ enforce: Named?,
        in piece: ClientPiece
    ) throws(RemoteConfigError) -> Bool {
        guard let enforce, let value = try self.certain(enforce, in: piece) else { return true }
        do throws(SourceValue.Fault) {
            return try SourceValue.isOn(value)
        } catch {
            throw RemoteConfigError(error, enforce.name)
        }
    }
}

extension RemoteConfigTemplate {
    /// Returns the name of a parameter that contains a version and is probably a misspelled `name`;
    /// `nil` if there is none.
    fileprivate func misspelling(
        of name: String,
        besides names: RemoteConfigRequirements.Names
    ) -> String? {
        let known = [names.minimum] + names.latest
        let strangers = self.parameters.filter { !known.contains($0.key) && $0.value.hasVersion }
        return strangers.keys.sorted().first { stranger in
            Spelling.nearest(to: stranger, among: known) == name
        }
    }
}

extension RemoteConfigTemplate.Parameter {
    /// Whether any value is a version with several parts; a whole number could also be a build.
    fileprivate var hasVersion: Bool {
        let values = [self.defaultValue].compactMap(\.self) + self.conditionalValues.values
        return values.contains { value in
            guard case .text(let text) = value else { return false }
            return text.contains(".") && (try? AppVersion(parsing: text)) != nil
        }
    }
}

/// The blocked versions: in each version piece, the versions below a floor.
private struct BlockedVersions: Equatable {
    private var spans: [VersionSpan] = []

    /// Blocks those versions of a piece that are below a floor; pieces must be added in ascending order.
    mutating func block(below floor: AppVersion, in piece: VersionPiece) {
        if let lower = piece.lower, floor <= lower { return }
        var span = VersionSpan(piece)
        span.upper = piece.upper.map { min($0, floor) } ?? floor
        if let last = self.spans.last, last.upper == span.lower, last.hasUpper || span.hasLower {
            self.spans[self.spans.count - 1].join(span)
        } else {
            self.spans.append(span)
        }
    }

    /// The version below which all versions are blocked; `nil` if there is none.
    var minimum: AppVersion? {
        self.spans.first.flatMap { $0.lower == nil ? $0.upper : nil }
    }

    /// The blocked ranges that are not below the minimum.
    var ranges: [VersionRange] {
        self.spans.compactMap { span in
            guard span.lower == nil else { return span.range }
            // The minimum already blocks the versions below the upper bound, but not the bound itself.
            guard let upper = span.upper, span.hasUpper else { return nil }
            return try? VersionRange(parsing: "\(upper)")
        }
    }
}
