/// A comparison in a version range, such as `>=3.9.0`, `3.7.2` or `3.8.x`.
enum VersionComparison: Sendable, Hashable {
    case compare(Relation, AppVersion)
    /// Every version that starts with these numbers.
    case series([DecimalNumber])

    enum Relation: String, Sendable, Hashable {
        // Longer operators come first, because `>=` also starts with `>`.
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case equal = "="

        private static let inParsingOrder: [Relation] = [.atLeast, .atMost, .above, .below, .equal]

        /// Splits a token into an operator, if any, and the remaining characters.
        static func split(_ word: Substring) -> (Relation?, Substring) {
            for relation in Self.inParsingOrder where word.hasPrefix(relation.rawValue) {
                return (relation, word.dropFirst(relation.rawValue.count))
            }
            return (nil, word)
        }
    }

    init(_ relation: Relation?, _ text: Substring) throws(VersionRangeError) {
        // Build metadata does not distinguish versions (SemVer 2.0.0 section 10).
        if let numbers = try Self.series(text.prefix { $0 != "+" }) {
            guard relation == nil else { throw .comparedSeries(Excerpt(text).text) }
            self = .series(numbers)
            return
        }
        do throws(VersionError) {
            self = .compare(relation ?? .equal, try AppVersion(parsing: String(text)))
        } catch {
            throw .invalidVersion(Excerpt(text).text, error)
        }
    }

    /// Parses the numbers of a series; returns `nil` if the string does not end with a wildcard.
    private static func series(_ text: Substring) throws(VersionRangeError) -> [DecimalNumber]? {
        guard let wildcard = text.last, ["x", "X", "*"].contains(wildcard),
            text.count == 1 || text.dropLast().last == "."
        else { return nil }
        // A wildcard alone would match every version, which is probably a mistake.
        guard text.count > 2 else { throw .seriesWithoutNumber }
        do throws(VersionError) {
            return try AppVersion.numbers(text.dropLast(2).utf8Span.span)
        } catch {
            throw .invalidVersion(Excerpt(text).text, error)
        }
    }

    func holds(for version: AppVersion) -> Bool {
        switch self {
        case .compare(.atLeast, let bound): version >= bound
        case .compare(.atMost, let bound): version <= bound
        case .compare(.above, let bound): version > bound
        case .compare(.below, let bound): version < bound
        case .compare(.equal, let bound): version == bound
        case .series(let numbers):
            numbers.indices.allSatisfy { version.number(at: $0) == numbers[$0] }
        }
    }

    /// Whether every version that meets the comparison is below the given version.
    func isEntirelyBelow(_ version: AppVersion) -> Bool {
        switch self {
        case .compare(.atMost, let bound), .compare(.equal, let bound): bound < version
        case .compare(.below, let bound): bound <= version
        case .compare(.atLeast, _), .compare(.above, _): false
        case .series(let numbers):
            numbers.lexicographicallyPrecedes(numbers.indices.map(version.number(at:)))
        }
    }

    /// The versions at which the result of the comparison changes.
    var bounds: [AppVersion] {
        switch self {
        case .compare(_, let bound):
            return [bound]
        case .series(let numbers):
            let texts = numbers.map(\.description)
            var bounds = [try? AppVersion(parsing: texts.joined(separator: "."))]
            if let last = numbers.last?.integer, last < .max {
                let next = (texts.dropLast() + [String(last + 1)]).joined(separator: ".")
                bounds.append(try? AppVersion(parsing: next))
            }
            return bounds.compactMap { $0 }
        }
    }

    var namesPrerelease: Bool {
        if case .compare(_, let bound) = self { !bound.prerelease.isEmpty } else { false }
    }
}

extension VersionComparison: CustomStringConvertible {
    var description: String {
        switch self {
        case .compare(.equal, let bound): bound.description
        case .compare(let relation, let bound): relation.rawValue + bound.description
        case .series(let numbers): numbers.map { "\($0)." }.joined() + "x"
        }
    }
}
