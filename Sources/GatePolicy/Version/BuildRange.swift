/// A set of build numbers in the notation of a rules file, such as `93` or `>=41215 <41220`.
///
/// A build has to meet all comparisons in a range. Builds are compared part by part (see
/// `BuildNumber`).
package struct BuildRange: Sendable, Hashable {
    /// The reason why a string is not a valid range of builds.
    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case empty
        case invalidBuild(String)
        case missingBuild(String)
        case nothingWithin

        package var description: String {
            switch self {
            case .empty: "the range is empty"
            case .invalidBuild(let text):
                "'\(text)' is not a build number; expected one to four numbers below 2^64, "
                    + "separated by dots"
            case .missingBuild(let relation): "a build is missing next to '\(relation)'"
            case .nothingWithin: "the range contains no build"
            }
        }
    }

    private let lowest: BuildNumber
    private let highest: BuildNumber

    package init(_ build: BuildNumber) {
        self.init(build...build)
    }

    package init(_ builds: ClosedRange<BuildNumber>) {
        self.lowest = builds.lowerBound
        self.highest = builds.upperBound
    }

    package init(parsing text: String) throws(Failure) {
        var (lowest, highest) = (BuildNumber.zero, BuildNumber.max)
        var pending: VersionComparison.Relation?
        var hasBuild = false
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
            let (relation, rest) = VersionComparison.Relation.split(word)
            if let relation, pending != nil { throw .missingBuild(relation.rawValue) }
            pending = relation ?? pending
            // Whitespace can separate an operator from its build: `>= 93`.
            guard !rest.isEmpty else { continue }
            guard let build = try? BuildNumber(parsing: String(rest)) else {
                throw .invalidBuild(Excerpt(rest).text)
            }
            switch pending ?? .equal {
            case .atLeast: lowest = max(lowest, build)
            case .atMost: highest = min(highest, build)
            case .above:
                guard let next = build.successor else { throw .nothingWithin }
                lowest = max(lowest, next)
            case .below:
                guard let previous = build.predecessor else { throw .nothingWithin }
                highest = min(highest, previous)
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

    package func contains(_ build: BuildNumber) -> Bool {
        self.lowest <= build && build <= self.highest
    }

    /// Whether the range has no upper bound, and contains all newer builds.
    package var isUnbounded: Bool { self.highest == .max }

    /// The first build in the range, and the first build after the range.
    var bounds: [BuildNumber] { [self.lowest, self.highest.successor].compactMap { $0 } }
}

extension BuildRange: CustomStringConvertible {
    package var description: String {
        if self.lowest == self.highest { return "\(self.lowest)" }
        let start = self.lowest == .zero && !self.isUnbounded ? nil : self.start
        return [start, self.end].compactMap { $0 }.joined(separator: " ")
    }

    /// The lower bound in its usual notation, such as `>93` instead of `>=93.0.0.1`.
    private var start: String {
        guard !self.lowest.isWhole, let previous = self.lowest.predecessor else {
            return ">=\(self.lowest)"
        }
        let short = previous.shortened
        return short.isShorter(than: self.lowest) ? ">\(short)" : ">=\(self.lowest)"
    }

    private var end: String? {
        guard let next = self.highest.successor else { return nil }
        let short = next.shortened
        return short.isShorter(than: self.highest) ? "<\(short)" : "<=\(self.highest)"
    }
}
