/// The versions and builds at which floors can differ.
///
/// No floor distinguishes versions or builds between two adjacent points.
struct FloorPoints {
    /// A version and a build that represent all nearby versions and builds that no floor
    /// distinguishes from them.
    struct Point {
        let version: AppVersion
        let build: BuildNumber?
        /// The index of the version on the version axis.
        let place: Int
    }

    let axis: VersionAxis
    let points: [Point]

    /// Creates the points at which the floors of the given rules can differ.
    ///
    /// `releases` contains additional versions to distinguish.
    init(_ rules: [RuleDefinition], releases: [AppVersion] = []) {
        let axis = VersionAxis(cuts: rules.flatMap(\.cuts) + releases)
        var builds: Set<BuildNumber> = []
        for build in rules.flatMap(\.buildCuts) {
            builds.insert(build)
            if let below = build.predecessor { builds.insert(below) }
        }
        // A missing build and the highest build are included, because rules that contribute no cuts
        // here may require a build.
        let claimed: [BuildNumber?] = builds.isEmpty ? [nil] : [nil, .max] + builds.sorted()
        self.axis = axis
        self.points = axis.points.enumerated().flatMap { place, point in
            claimed.map { Point(version: point.version, build: $0, place: place) }
        }
    }
}

/// The result of comparing the floors of two lists of rules, regardless of their schedules.
package struct FloorOrder: Sendable, Equatable {
    /// Whether the first list denies a version or build that passes the second list.
    package let onlyFirst: Bool
    /// Whether the second list denies a version or build that passes the first list.
    package let onlySecond: Bool

    package init(_ first: [RuleDefinition], _ second: [RuleDefinition]) {
        var (onlyFirst, onlySecond) = (false, false)
        for point in FloorPoints(first + second).points {
            let one = first.contains { !$0.admits(point.version, build: point.build) }
            let other = second.contains { !$0.admits(point.version, build: point.build) }
            if one, !other { onlyFirst = true }
            if other, !one { onlySecond = true }
        }
        // Points do not cover the notation of a version, so conditions on the notation are compared
        // directly.
        let forms = [first, second].map { $0.flatMap(\.blockedBuilds).filter { !$0.written.isAny } }
        self.onlyFirst = onlyFirst || !forms[0].allSatisfy(forms[1].contains)
        self.onlySecond = onlySecond || !forms[1].allSatisfy(forms[0].contains)
    }
}

extension RuleDefinition {
    /// Whether the floor is enforced for all matching clients at the given time and is not subject
    /// to a hold.
    package func isActiveForAllClients(at now: Timestamp) -> Bool {
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

    /// Whether this rule can replace another rule without denying any client that passes the other
    /// rule.
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
