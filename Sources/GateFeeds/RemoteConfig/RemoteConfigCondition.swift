internal import GatePolicy
internal import GateRules

/// A condition in a Remote Config template, as a list of elements that must all be met.
///
/// Some conditions, such as audiences or percentages, can only be evaluated by Firebase.
///
/// Source: Firebase, "Remote Config conditional expression reference". Elements can only be joined
/// by ` && `.
struct RemoteConfigCondition: Sendable, Equatable {
    enum Element: Sendable, Equatable {
        case constant(Bool)
        case platform(Set<String>)
        /// The Firebase app ID, such as `1:123:ios:abc`.
        case app(String)
        /// The languages of the device, in lowercase with hyphens.
        case language(Set<String>)
        /// Met if the client's version has this relation to at least one of the versions.
        case version(Relation, [AppVersion])
        /// Met if the client's build has this relation to at least one of the builds.
        case build(Relation, [BuildNumber])
        /// A test of the written version or build, with the required result.
        case written(WrittenTest, isMet: Bool)
        /// A local time in a zone, represented as if it were UTC.
        case time(Relation, Timestamp, zone: String)
        /// An element that the gate cannot evaluate, as written.
        case undecidable(String)
    }

    /// A test of the written form of a version or build.
    struct WrittenTest: Sendable, Hashable {
        enum Part: Sendable { case version, build }

        let part: Part
        let pattern: WrittenPattern
    }

    enum Relation: String, Sendable, Equatable, CaseIterable {
        // Longer operators first: `>=` must not be parsed as `>`.
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

    /// The versions at which the result may change.
    var thresholds: [AppVersion] {
        self.elements.flatMap { element -> [AppVersion] in
            if case .version(_, let versions) = element { versions } else { [] }
        }
    }

    /// The builds at which the result may change.
    var buildThresholds: [BuildNumber] {
        self.elements.flatMap { element -> [BuildNumber] in
            if case .build(_, let builds) = element { builds } else { [] }
        }
    }

    /// The tests of written versions and builds.
    var writtenTests: [WrittenTest] {
        self.elements.compactMap { element in
            if case .written(let test, _) = element { test } else { nil }
        }
    }

    var languages: Set<String> {
        self.elements.reduce(into: []) { languages, element in
            if case .language(let names) = element { languages.formUnion(names) }
        }
    }

    /// The app IDs in the condition.
    var apps: [String] {
        self.elements.compactMap { element in
            if case .app(let id) = element { id } else { nil }
        }
    }

    var isTimed: Bool {
        self.elements.contains { element in
            if case .time = element { true } else { false }
        }
    }
}
