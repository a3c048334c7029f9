internal import GatePolicy
internal import GateRules

/// A condition of a Remote Config template, as far as the gate can decide it.
///
/// Some of what conditions ask for, such as audiences or the bucket of a percentage, only Firebase
/// knows.
///
/// Source: Firebase, "Remote Config conditional expression reference". Elements are joined by
/// ` && ` and by nothing else.
struct RemoteConfigCondition: Sendable, Equatable {
    enum Element: Sendable, Equatable {
        case constant(Bool)
        case platform(Set<String>)
        /// The Firebase app id, such as `1:123:ios:abc`.
        case app(String)
        /// The languages of the device, lower-case with hyphens.
        case language(Set<String>)
        case version(Relation, AppVersion)
        case versions([AppVersion])
        case build(Relation, BuildNumber)
        case builds([BuildNumber])
        /// How a version or a build is written, and whether it has to be.
        case written(WrittenTest, isMet: Bool)
        /// The time that the clocks of a zone show, written as if they showed UTC.
        case time(Relation, Timestamp, zone: String)
        /// A condition that cannot be decided here, as it is written.
        case undecidable(String)
    }

    /// A question about how a version or a build is written.
    struct WrittenTest: Sendable, Hashable {
        enum Part: Sendable { case version, build }

        let part: Part
        let pattern: WrittenPattern
    }

    enum Relation: String, Sendable, Equatable, CaseIterable {
        // Longer operators first: `>=` must not be read as `>`.
        case atLeast = ">="
        case atMost = "<="
        case equal = "=="
        case unequal = "!="
        case above = ">"
        case below = "<"

        func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
            switch self {
            case .atLeast: left >= right
            case .atMost: left <= right
            case .equal: left == right
            case .unequal: left != right
            case .above: left > right
            case .below: left < right
            }
        }
    }

    let elements: [Element]

    /// The versions at which the condition may become another one.
    var thresholds: [AppVersion] {
        self.elements.flatMap { element -> [AppVersion] in
            switch element {
            case .version(_, let version): [version]
            case .versions(let versions): versions
            case .constant, .platform, .app, .language, .build, .builds, .written, .time,
                .undecidable:
                []
            }
        }
    }

    /// The builds at which the condition may become another one.
    var buildThresholds: [BuildNumber] {
        self.elements.flatMap { element -> [BuildNumber] in
            switch element {
            case .build(_, let build): [build]
            case .builds(let builds): builds
            case .constant, .platform, .app, .language, .version, .versions, .written, .time,
                .undecidable:
                []
            }
        }
    }

    /// What it asks about how versions and builds are written.
    var writtenTests: [WrittenTest] {
        self.elements.compactMap { element in
            if case .written(let test, _) = element { test } else { nil }
        }
    }

    /// The languages that it asks for.
    var languages: Set<String> {
        self.elements.reduce(into: []) { languages, element in
            if case .language(let names) = element { languages.formUnion(names) }
        }
    }

    /// The app ids that it asks for.
    var apps: [String] {
        self.elements.compactMap { element in
            if case .app(let id) = element { id } else { nil }
        }
    }

    var isTimed: Bool {
        self.elements.contains { element in
            if case .time = element { return true }
            return false
        }
    }
}
