internal import GatePolicy

/// What a template asks of the clients of one platform.
///
/// Where the gate cannot know which of several values a client has, it goes by the lowest: nobody
/// is turned away whom Firebase would let pass.
struct RemoteConfigTerms: Equatable {
    /// The parameters that are looked at.
    struct Names: Equatable {
        var minimum: String
        var latest: String?
    }

    var minimum: AppVersion?
    var blocked: [VersionRange] = []
    var recommended: AppVersion?
    /// The conditions that the gate cannot decide, by name.
    var undecided: [String] = []

    init(
        _ template: RemoteConfigTemplate,
        for client: RemoteConfigClient,
        _ names: Names
    ) throws(RemoteConfigError) {
        guard let minimum = template.parameters[names.minimum] else {
            throw .missingParameter(names.minimum)
        }
        var reading = RemoteConfigReading(template: template, client: client)
        var blocked = BlockedVersions()
        for piece in reading.pieces(of: minimum) {
            guard let floor = try reading.lowest(names.minimum, minimum, in: piece) else {
                continue
            }
            blocked.block(below: floor, in: piece)
        }
        self.minimum = blocked.minimum
        self.blocked = blocked.ranges
        if let name = names.latest, let latest = template.parameters[name] {
            self.recommended = try Self.recommended(name, latest, &reading)
        }
        self.undecided = reading.undecided
    }

    /// One version for all: the lowest that any of the clients is told.
    private static func recommended(
        _ name: String,
        _ parameter: RemoteConfigTemplate.Parameter,
        _ reading: inout RemoteConfigReading
    ) throws(RemoteConfigError) -> AppVersion? {
        var lowest: AppVersion?
        for piece in reading.pieces(of: parameter) {
            guard let version = try reading.lowest(name, parameter, in: piece) else { return nil }
            lowest = lowest.map { min($0, version) } ?? version
        }
        return lowest
    }
}
