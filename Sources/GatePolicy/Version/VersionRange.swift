/// A set of versions in the notation of a rules file, such as `>=3.9.0 <3.9.4`, `3.7.2` or `3.8.x`.
///
/// A version has to meet all comparisons in a range. Pre-releases are compared as pre-releases, so
/// `<2.0.0` contains `2.0.0-rc.1`. A series such as `3.8.x` contains every version that starts with
/// the numbers of the series, including pre-releases.
package struct VersionRange: Sendable, Hashable {
    private let comparisons: [VersionComparison]

    package init(parsing text: String) throws(VersionRangeError) {
        var comparisons: [VersionComparison] = []
        var pending: VersionComparison.Relation?
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let (relation, rest) = VersionComparison.Relation.split(word)
            if let relation, pending != nil { throw .missingVersion(relation.rawValue) }
            pending = relation ?? pending
            // Whitespace can separate an operator from its version: `>= 3.9.0`.
            guard !rest.isEmpty else { continue }
            comparisons.append(try VersionComparison(pending, rest))
            pending = nil
        }
        if let pending { throw .missingVersion(pending.rawValue) }
        guard !comparisons.isEmpty else { throw .empty }
        self.comparisons = comparisons
    }

    package func contains(_ version: AppVersion) -> Bool {
        self.comparisons.allSatisfy { $0.holds(for: version) }
    }

    /// Whether every version in the range is known to be below the given version, regardless of how
    /// pre-releases are compared.
    package func isEntirelyBelow(_ version: AppVersion) -> Bool {
        // When compared with a release, a pre-release may count as its release.
        !self.namesPrerelease && self.comparisons.contains { $0.isEntirelyBelow(version) }
    }

    /// The upper bound of a range such as `<4.0.0`; `nil` if the range has any other form.
    package var soleUpperBound: AppVersion? {
        guard self.comparisons.count == 1, case .compare(.below, let bound) = self.comparisons[0]
        else { return nil }
        return bound
    }

    /// The versions at which the range starts or ends.
    var bounds: [AppVersion] { self.comparisons.flatMap(\.bounds) }

    /// Whether a bound of the range is a pre-release.
    var namesPrerelease: Bool {
        self.comparisons.contains(where: \.namesPrerelease)
    }
}

extension VersionRange: CustomStringConvertible {
    package var description: String {
        self.comparisons.map(\.description).joined(separator: " ")
    }
}

/// The reason why a string is not a valid version range.
package enum VersionRangeError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case missingVersion(String)
    case invalidVersion(String, VersionError)
    case comparedSeries(String)
    /// A wildcard that does not follow a number, and would match every version.
    case seriesWithoutNumber

    package var description: String {
        switch self {
        case .empty:
            "the range is empty"
        case .missingVersion(let relation):
            "a version is missing next to '\(relation)'"
        case .invalidVersion(let text, let error):
            "'\(text)' is not a version: \(error)"
        case .comparedSeries(let text):
            "'\(text)' is a wildcard and cannot follow an operator"
        case .seriesWithoutNumber:
            "a wildcard must follow a number, as in '3.x'"
        }
    }
}
