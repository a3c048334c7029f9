internal import GatePolicy
internal import GateRules

/// The fields that a feed reads from its source, with detection of misspelled names.
///
/// Sources omit empty fields and have additional ones, so neither an absent field nor an unknown
/// field is a mistake in itself. It is a mistake if a new unknown field appears while a known field
/// with a similar name and a matching kind of value is absent.
struct SourceFields: Sendable {
    /// The kind of content of a known field.
    enum Kind: Sendable {
        case version
        case build
        case toggle
        case time
        case link
        case words

        /// Returns whether a value has the form of this kind, even if the value is otherwise
        /// invalid.
        fileprivate func fits(_ value: JSONValue) -> Bool {
            switch value {
            case .null, .object: return false
            case .boolean: return self == .toggle
            case .number: return self == .version || self == .build
            case .list(let items): return items.count == 1 && self.fits(items[0])
            case .text(let text):
                switch self {
                case .version: return (try? AppVersion(parsing: text)) != nil
                case .build: return (try? BuildNumber(parsing: text)) != nil
                case .toggle: return ["true", "false"].contains(text)
                case .time: return (try? Timestamp(parsing: text)) != nil
                case .link: return text.contains("://")
                case .words: return !text.isEmpty
                }
            }
        }
    }

    /// The name of a known field, as used in `fields`, and the kind of its value.
    typealias Named = (name: String, kind: Kind)

    /// The key in `FeedValue.memory` for the unknown fields of the previous response.
    private static let strangers = "strangers"
    /// The key in `FeedValue.memory` for the fields of the previous response that contained a floor or a switch.
    private static let kept = "floor"

    /// The known fields by their path in the source.
    private let known: [(path: String, kind: Kind)]

    /// Creates the fields that a feed reads; fields in `onlyIfNamed` are read only if `fields` maps
    /// them.
    init(
        _ names: FieldNames,
        _ kinds: [Named],
        onlyIfNamed: [Named] = []
    ) {
        let named = onlyIfNamed.filter { names.isGiven($0.name) }
        self.known = (kinds + named).flatMap { name, kind in
            names.words(name)?.map { ($0.path, kind) } ?? [(names[name], kind)]
        }
    }

    /// Checks the entries of a response for misspelled fields.
    ///
    /// `last` is the data stored with the previous response; the result is the data to store with
    /// this response.
    func check(
        _ values: [JSONValue],
        after last: [String: String]
    ) throws(FeedFailure) -> [String: String] {
        let former = Self.names(last[Self.strangers])
        var paths: Set<String> = []
        for value in values {
            for (path, meant) in self.strangers(in: value) {
                guard former.contains(path) || !value.isAbsent(at: meant) else {
                    throw .content("unknown field '\(path)'; did you mean '\(meant)'?")
                }
                paths.insert(path)
            }
        }
        return Self.memory(Self.strangers, paths.sorted())
    }

    /// Checks that fields with a floor or a switch have not disappeared.
    ///
    /// The check is for sources that can state explicitly that nothing is required, where a missing
    /// field is a mistake.
    ///
    /// `last` is the data stored with the previous response; the result is the data to store with
    /// this response.
    static func check(
        floors: [String],
        switches: [String],
        after last: [String: String],
        isAbsent: (String) -> Bool
    ) throws(FeedFailure) -> [String: String] {
        let former = self.names(last[self.kept])
        let fields = floors + switches
        if let path = fields.first(where: { former.contains($0) && isAbsent($0) }) {
            let remedy =
                floors.contains(path)
                ? "to require nothing, set it to an empty string"
                : "to turn it off, set it to false"
            throw .content("'\(path)' is missing: its last value stays active; \(remedy)")
        }
        return self.memory(self.kept, fields.filter { !isAbsent($0) })
    }

    private static func names(_ text: String?) -> [String] {
        text?.split(separator: "\n").map(String.init) ?? []
    }

    private static func memory(_ key: String, _ names: [String]) -> [String: String] {
        names.isEmpty ? [:] : [key: names.joined(separator: "\n")]
    }

    /// Returns the unknown fields, each with the most similar known field.
    private func strangers(in value: JSONValue) -> [(path: String, meant: String)] {
        let parents = Set(self.known.map { JSONPath($0.path).parent })
        return parents.sorted().flatMap { parent -> [(String, String)] in
            let place = parent.isEmpty ? value : value[path: parent]
            guard case .object(let members)? = place else { return [] }
            return members.compactMap { self.stranger($0, in: parent) }
        }
    }

    private func stranger(
        _ member: JSONValue.Member,
        in parent: String
    ) -> (path: String, meant: String)? {
        let path = JSONPath.joined(parent, member.name)
        guard !self.known.contains(where: { $0.path == path }) else { return nil }
        let siblings = self.known.filter {
            JSONPath($0.path).parent == parent && $0.kind.fits(member.value)
        }
        let names = siblings.map { JSONPath($0.path).name }
        guard let name = Spelling.nearest(to: member.name, among: names),
            let meant = siblings.first(where: { JSONPath($0.path).name == name })
        else { return nil }
        return (path, meant.path)
    }
}

/// A path such as `ios.minimum` or `config#/ios/minimum`, split before its last name.
private struct JSONPath {
    let parent: String
    let name: String

    static func joined(_ parent: String, _ name: String) -> String {
        if parent.isEmpty { return name }
        return parent + (parent.contains(JSONValue.pointerMark) ? "/" : ".") + name
    }

    init(_ path: String) {
        if path.contains(JSONValue.pointerMark), let slash = path.lastIndex(of: "/") {
            self.parent = String(path[..<slash])
            self.name = String(path[path.index(after: slash)...])
            return
        }
        let names = path.split(separator: ".")
        self.parent = names.dropLast().joined(separator: ".")
        self.name = names.last.map(String.init) ?? path
    }
}

/// The mapped fields that must not disappear from a source.
extension FieldNames {
    /// The paths of floors and blocks.
    var floors: [String] {
        ["minVersion", "minBuild"].map { self[$0] }
            + ["blockedVersions", "blockedBuilds"].compactMap(self.given)
    }

    /// The paths of mapped switches.
    var switches: [String] {
        [
            FeedSwitch.name, SourceMaintenance.switchField, SourceMaintenance.fromField,
            SourceMaintenance.untilField,
        ].compactMap(self.given)
    }

    /// Returns notes about mapped switches that are missing.
    func missingSwitches(isAbsent: (String) -> Bool) -> [String] {
        self.switches.filter(isAbsent)
            .map { "'\($0)', mapped by 'fields', is missing: the mapping has no effect" }
    }
}
