/// A set of build numbers as a rules file writes it: `93`, `>=41215 <41220`.
///
/// All comparisons of a range must hold. Builds compare as whole numbers (Android `versionCode`).
package struct BuildRange: Sendable, Hashable {
    /// Why a text is not a range of builds.
    package enum Failure: Error, Sendable, Equatable {
        case empty
        /// A word is neither a comparison nor a whole number below 2^64.
        case invalidBuild(String)
        /// An operator has no build.
        case missingBuild(String)
        /// No number meets all comparisons.
        case nothingWithin
    }

    /// The lowest build of the range.
    private let lowest: UInt64
    /// The highest build of the range.
    private let highest: UInt64

    package init(_ builds: ClosedRange<UInt64>) {
        self.lowest = builds.lowerBound
        self.highest = builds.upperBound
    }

    package init(parsing text: String) throws(Failure) {
        var (lowest, highest): (UInt64, UInt64) = (0, .max)
        var pending: VersionComparison.Relation?
        var hasBuild = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let (relation, rest) = VersionComparison.Relation.split(word)
            if let relation, pending != nil { throw .missingBuild(relation.rawValue) }
            pending = relation ?? pending
            // An operator may stand apart from its build: `>= 93`.
            guard !rest.isEmpty else { continue }
            guard rest.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let build = UInt64(rest) else {
                throw .invalidBuild(Excerpt(rest).text)
            }
            switch pending ?? .equal {
            case .atLeast: lowest = max(lowest, build)
            case .atMost: highest = min(highest, build)
            case .above:
                guard build < .max else { throw .nothingWithin }
                lowest = max(lowest, build + 1)
            case .below:
                guard build > 0 else { throw .nothingWithin }
                highest = min(highest, build - 1)
            case .equal:
                lowest = max(lowest, build)
                highest = min(highest, build)
            }
            hasBuild = true
            pending = nil
        }
        if let pending { throw .missingBuild(pending.rawValue) }
        guard hasBuild else { throw .empty }
        guard lowest <= highest else { throw .nothingWithin }
        self.lowest = lowest
        self.highest = highest
    }

    package func contains(_ build: UInt64) -> Bool { self.lowest <= build && build <= self.highest }

    /// Whether it has every build from some number on, so that no newer one leaves it.
    package var hasNoEnd: Bool { self.highest == .max }

    /// The builds with which it begins, and with which something else begins behind it.
    var bounds: [UInt64] { self.hasNoEnd ? [self.lowest] : [self.lowest, self.highest + 1] }
}

extension BuildRange: CustomStringConvertible {
    package var description: String {
        if self.lowest == self.highest { return "\(self.lowest)" }
        let end = self.hasNoEnd ? [] : ["<=\(self.highest)"]
        let start = self.lowest == 0 && !self.hasNoEnd ? [] : [">=\(self.lowest)"]
        return (start + end).joined(separator: " ")
    }
}

extension BuildRange.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the range is empty"
        case .invalidBuild(let text): "'\(text)' is not a whole number below 2^64"
        case .missingBuild(let relation): "a build is missing beside '\(relation)'"
        case .nothingWithin: "no build lies within"
        }
    }
}
