/// Versions and builds at which floors can differ: between two of them no floor tells clients apart.
struct FloorPoints {
    /// One version and one build that stand for their neighbours.
    struct Point {
        let version: AppVersion
        let build: BuildNumber?
        /// The place of the version on the axis.
        let place: Int
    }

    let axis: VersionAxis
    let points: [Point]

    /// - Parameters:
    ///   - rules: The rules whose floors are looked at.
    ///   - releases: Versions that make a difference besides.
    init(_ rules: [RuleDefinition], releases: [AppVersion] = []) {
        let axis = VersionAxis(cuts: rules.flatMap(\.cuts) + releases)
        var builds: Set<BuildNumber> = []
        for build in rules.flatMap(\.buildCuts) {
            builds.insert(build)
            if let below = build.predecessor { builds.insert(below) }
        }
        // One that says none, and one that is above all: another rule may want to know.
        let claimed: [BuildNumber?] = builds.isEmpty ? [nil] : [nil, .max] + builds.sorted()
        self.axis = axis
        self.points = axis.points.enumerated().flatMap { place, point in
            claimed.map { Point(version: point.version, build: $0, place: place) }
        }
    }
}

extension RuleDefinition {
    /// Whether the floor, whenever it holds, refuses a client with this version and build.
    func denies(_ point: FloorPoints.Point) -> Bool {
        self.breach(by: point.version, point.version.release, build: point.build) != nil
    }
}

/// How the floors of two lists of rules stand to each other, whenever they hold.
package struct FloorOrder: Sendable, Equatable {
    /// Whether the first list refuses a version or build that the second one lets pass.
    package let onlyFirst: Bool
    /// Whether the second list refuses one that the first one lets pass.
    package let onlySecond: Bool

    package init(_ first: [RuleDefinition], _ second: [RuleDefinition]) {
        var (onlyFirst, onlySecond) = (false, false)
        for point in FloorPoints(first + second).points {
            let one = first.contains { $0.denies(point) }
            let other = second.contains { $0.denies(point) }
            if one, !other { onlyFirst = true }
            if other, !one { onlySecond = true }
        }
        // No point stands for how a version is written.
        let forms = [first, second].map { $0.flatMap(\.blockedBuilds).filter { !$0.written.isAny } }
        if !forms[0].allSatisfy(forms[1].contains) { onlyFirst = true }
        if !forms[1].allSatisfy(forms[0].contains) { onlySecond = true }
        self.onlyFirst = onlyFirst
        self.onlySecond = onlySecond
    }
}

extension RuleDefinition {
    /// Whether the rule has a floor that is in force for everybody at a time, without a condition.
    package func isWhollyInForce(at now: Timestamp) -> Bool {
        guard self.hasFloor, self.mode == .enforce, self.holdUntilInStore == nil else {
            return false
        }
        let schedule = self.schedule
        if let until = schedule.until, until <= now { return false }
        let hasBegun = schedule.enforceFrom.map { $0 <= now } ?? (schedule.warnFrom == nil)
        let isForAll =
            self.rollout.isEmpty
            || self.rollout.contains { $0.percent >= 100 && ($0.at.map { $0 <= now } ?? true) }
        return hasBegun && isForAll
    }

    /// Whether putting this rule in the place of another one can refuse nobody who passed.
    package func isNoStricter(than old: RuleDefinition) -> Bool {
        guard self.mode == .observe || old.mode == .enforce, self.prerelease == old.prerelease,
            old.match == self.match, !FloorOrder([self], [old]).onlyFirst
        else { return false }
        let alwaysHeld =
            old.schedule == .always && old.rollout.isEmpty && old.holdUntilInStore == nil
        return alwaysHeld
            || self.schedule == old.schedule && self.rollout == old.rollout
                && self.holdUntilInStore == old.holdUntilInStore
    }
}
