internal import GatePolicy
internal import GateRules

/// Detects fields that the feed does not read, but that appear to be meant for the gate.
///
/// The fields are only reported, because the detection is heuristic.
struct UnreadFields {
    /// The maximum number of reported fields.
    private static let maximum = 8

    /// The names in `fields` that notes suggest, by purpose.
    struct Keys {
        var minimum = "minVersion"
        var latest: String? = "latestVersion"
        var minimumBuild = "minBuild"
        var latestBuild: String? = "latestBuild"
    }

    let notes: [String]

    /// Checks the fields of a source; the name of each member is the path of the field.
    ///
    /// Fields for platforms other than `platforms` are ignored.
    init(_ fields: [JSONValue.Member], read: Set<String>, keys: Keys, platforms: [Platform]?) {
        // A field counts as read if a pointer refers to any part of it.
        let bases = Set(read.map { $0.prefix { $0 != JSONValue.pointerMark } }.map(String.init))
        var notes: [String] = []
        for field in fields.sorted(by: { $0.name < $1.name }) where !bases.contains(field.name) {
            if let platform = PlatformNames.platform(in: field.name), let platforms,
                !platforms.contains(platform)
            {
                continue
            }
            notes += Self.notes(on: field, keys, isNested: false)
        }
        let more = notes.count - Self.maximum
        self.notes =
            notes.prefix(Self.maximum)
            + (more > 0 ? ["\(more) more fields are not read"] : [])
    }

    private static func notes(
        on field: JSONValue.Member,
        _ keys: Keys,
        isNested: Bool
    ) -> [String] {
        if let key = self.key(for: field, keys) {
            return [
                "'\(field.name)' is not read; map it with `fields: { \(key): \"\(field.name)\" }`"
            ]
        }
        guard !isNested, case .text(let text) = field.value, text.first == "{",
            case .object(let members)? = try? JSONParser.parse(Array(text.utf8))
        else { return [] }
        return members.flatMap { member in
            let name = member.name.replacing("~", with: "~0").replacing("/", with: "~1")
            return self.notes(
                on: .init("\(field.name)#/\(name)", member.value),
                keys,
                isNested: true
            )
        }
    }

    /// Returns the key of `fields` that probably fits a field, by its name and value; `nil` if none fits.
    private static func key(for field: JSONValue.Member, _ keys: Keys) -> String? {
        let name = field.name.split(whereSeparator: { "./#".contains($0) }).last.map(String.init)
        let parts = Set(PlatformNames.parts(of: name ?? field.name))
        func has(_ words: String...) -> Bool { words.contains(where: parts.contains) }
        let isSwitch = (try? SourceValue.isOn(field.value)) != nil
        if has("maintenance") {
            if isSwitch { return SourceMaintenance.switchField }
            if case .object = field.value { return SourceMaintenance.switchField }
            return nil
        }
        if has("force", "forced", "enforce", "mandatory", "required"), isSwitch,
            has("update", "upgrade", "version") || parts.isSubset(of: ["is", "force", "forced"])
        {
            return FeedSwitch.name
        }
        let isMinimum = has("min", "minimum", "minimal", "lowest", "required", "supported")
        let isLatest = has("latest", "lastest", "newest", "current", "recommended")
        guard isMinimum || isLatest else { return nil }
        if has("build", "code", "versioncode"), (try? SourceValue.build(field.value)) != nil {
            return isMinimum ? keys.minimumBuild : keys.latestBuild
        }
        if has("version", "ver"), (try? SourceValue.version(field.value)) != nil {
            return isMinimum ? keys.minimum : keys.latest
        }
        return nil
    }
}

/// The switch for the enforcement of floors, which is read only if `fields` maps it.
enum FeedSwitch {
    static let name = "enforce"
}
