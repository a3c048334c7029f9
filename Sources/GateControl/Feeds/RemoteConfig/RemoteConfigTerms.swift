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
            self.blockedBuilds = Surplus.joined(floors.flatMap { self.surplus(of: $0) })
                .map(\.entry)
        }
        if let latest, let parameter = template.parameters[latest] {
            self.recommended = try self.recommended(latest, parameter, &reading)
        }
        self.undecided = reading.undecided
        self.notes += reading.notes
    }

    /// The versions that are blocked for some clients.
    private struct Floor {
        var builds: ClosedRange<UInt64>
        let forms: FormPiece
        var blocked: BlockedVersions
    }

    /// The floors for the clients of each part of all builds, and of each form.
    private static func floors(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> [Floor] {
        var floors: [Floor] = []
        for piece in reading.pieces(of: name, parameter) {
            let builds = piece.builds.builds
            if floors.last?.builds != builds || floors.last?.forms != piece.forms {
                floors.append(Floor(builds: builds, forms: piece.forms, blocked: .init()))
            }
            switch try reading.outcome(name, parameter, in: piece) {
            case .nothing: continue
            case .version(let floor):
                floors[floors.count - 1].blocked.block(below: floor, in: piece.versions)
            case .unknown(let reason): throw .unknowable(parameter: name, reason: reason)
            }
        }
        return floors.reduce(into: []) { joined, floor in
            guard let last = joined.last, last.blocked == floor.blocked, last.forms == floor.forms
            else { return joined.append(floor) }
            joined[joined.count - 1].builds = last.builds.lowerBound...floor.builds.upperBound
        }
    }

    /// What some clients are asked for beyond what all are.
    private func surplus(of floor: Floor) -> [Surplus] {
        let below = floor.blocked.minimum.flatMap { minimum in
            self.minimum.map { $0 < minimum ? ">=\($0) <\(minimum)" : nil } ?? "<\(minimum)"
        }
        let ranges =
            [below.flatMap { try? VersionRange(parsing: $0) }].compactMap(\.self)
            + floor.blocked.ranges.filter { !self.blocked.contains($0) }
        return ranges.map { Surplus(versions: $0, builds: floor.builds, forms: floor.forms) }
    }

    /// A range of versions that is blocked for some clients beyond what is for all.
    private struct Surplus: Equatable {
        let versions: VersionRange
        let builds: ClosedRange<UInt64>
        var forms: FormPiece

        /// Joins those that differ in nothing but the answer to one question: it makes no difference.
        ///
        /// Questions of conditions that come last are looked at first: they are asked only of clients
        /// for whom no condition before holds.
        static func joined(_ all: [Surplus]) -> [Surplus] {
            let questions = all.first?.forms.answers.map(\.test) ?? []
            return questions.reversed().reduce(all) { all, question in
                var rest = all
                var joined: [Surplus] = []
                while var surplus = rest.popLast() {
                    let other = rest.firstIndex { $0.isEqual(to: surplus, but: question) }
                    if let other {
                        rest.remove(at: other)
                        surplus.forms = surplus.forms.without(question)
                    }
                    joined.append(surplus)
                }
                return joined.reversed()
            }
        }

        private func isEqual(to other: Surplus, but question: FormPiece.Test) -> Bool {
            self.versions == other.versions && self.builds == other.builds
                && self.forms.answer(to: question) != nil
                && other.forms.answer(to: question) != nil
                && self.forms.without(question) == other.forms.without(question)
        }

        var entry: BlockedBuilds {
            let written = self.forms.written
            // Whoever states no build is asked only for what all builds are asked for.
            let isForAll = !written.isAny && self.builds == 0 ... .max
            let builds = isForAll ? nil : BuildRange(self.builds)
            return BlockedBuilds(builds, of: self.versions, written: written)
        }
    }

    /// One version for all: the lowest that any of the clients is told.
    private mutating func recommended(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> AppVersion? {
        var lowest: AppVersion?
        for piece in reading.pieces(of: name, parameter) {
            switch try reading.outcome(name, parameter, in: piece) {
            case .nothing: return nil
            case .version(let version): lowest = lowest.map { min($0, version) } ?? version
            case .unknown(let reason):
                // Nobody is turned away by a recommendation: the floor is not held up for it.
                self.notes.append("'\(name)' \(reason): nothing is recommended")
                return nil
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
