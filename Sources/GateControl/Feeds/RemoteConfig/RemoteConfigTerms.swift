internal import GatePolicy

/// What a template asks of the clients of one platform.
struct RemoteConfigTerms: Equatable {
    /// The parameters that are looked at.
    struct Names: Equatable {
        var minimum: String
        /// The first that is there counts.
        var latest: [String]
    }

    var minimum: AppVersion?
    var blocked: [VersionRange] = []
    var recommended: AppVersion?
    /// The conditions that the gate cannot decide, by name.
    var undecided: [String] = []
    /// What else operators should know of how these were found.
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
            var blocked = BlockedVersions()
            for piece in reading.pieces(of: minimum) {
                switch try reading.outcome(names.minimum, minimum, in: piece) {
                case .nothing: continue
                case .version(let floor): blocked.block(below: floor, in: piece)
                case .unknown(let reason):
                    throw .unknowable(parameter: names.minimum, reason: reason)
                }
            }
            self.minimum = blocked.minimum
            self.blocked = blocked.ranges
        }
        if let latest, let parameter = template.parameters[latest] {
            self.recommended = try self.recommended(latest, parameter, &reading)
        }
        self.undecided = reading.undecided
        self.notes += reading.notes
    }

    /// One version for all: the lowest that any of the clients is told.
    private mutating func recommended(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> AppVersion? {
        var lowest: AppVersion?
        for piece in reading.pieces(of: parameter) {
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
