/// The range of all versions, divided at the versions that rules contain.
///
/// No rule distinguishes versions between two adjacent cuts.
struct VersionAxis {
    /// A version that represents an interval, and the bounds of the interval.
    struct Point {
        let version: AppVersion
        /// The lower bound as a string; `nil` if this is the lowest interval.
        let lower: String?
        /// The upper bound as a string; `nil` if this is the highest interval.
        let upper: String?
    }

    let points: [Point]

    /// Creates an axis that is divided before and after each of the versions.
    init(cuts: some Sequence<AppVersion>) {
        var points: [Point] = []
        var last: AppVersion?
        for cut in cuts.uniqued().sorted() {
            if let between = Self.between(last, cut) {
                let lower = last.map { ">\($0)" }
                points.append(Point(version: between, lower: lower, upper: "<\(cut)"))
            }
            points.append(Point(version: cut, lower: ">=\(cut)", upper: "<=\(cut)"))
            last = cut
        }
        if let above = last.map({ $0.next }) ?? (try? AppVersion(parsing: "1")) {
            points.append(Point(version: above, lower: last.map { ">\($0)" }, upper: nil))
        }
        self.points = points
    }

    /// Returns the versions between two points as a string, such as `>=3.5.0 <4.0.0`.
    func words(_ range: ClosedRange<Int>) -> String {
        let first = self.points[range.lowerBound]
        let last = self.points[range.upperBound]
        if range.count == 1, first.lower?.hasPrefix(">=") == true { return "\(first.version)" }
        let words = [first.lower, last.upper].compactMap { $0 }.joined(separator: " ")
        return words.isEmpty ? "any version" : words
    }

    private static func between(_ lower: AppVersion?, _ upper: AppVersion) -> AppVersion? {
        let candidate = lower.map { $0.next } ?? (try? AppVersion(parsing: "0"))
        return candidate.flatMap { $0 < upper ? $0 : nil }
    }
}

extension AppVersion {
    /// The next version above this version; `nil` if there is none.
    ///
    /// No version between the two is used in practice.
    fileprivate var next: AppVersion? {
        guard self.prerelease.isEmpty else {
            // `2.0.0-rc.1.0` is the lowest version above `2.0.0-rc.1`.
            return try? AppVersion(parsing: "\(self).0")
        }
        let missing = Self.maximumParts - self.numbers.count
        let parts = self.numbers + [DecimalNumber](repeating: .zero, count: missing)
        guard let last = parts.last?.integer, last < .max else { return nil }
        let next = parts.dropLast().map(\.description) + [String(last + 1)]
        return try? AppVersion(parsing: next.joined(separator: "."))
    }

    /// The lowest pre-release of this version; `nil` if the version is itself a pre-release.
    var lowestPrerelease: AppVersion? {
        self.prerelease.isEmpty ? try? AppVersion(parsing: "\(self)-0") : nil
    }
}
