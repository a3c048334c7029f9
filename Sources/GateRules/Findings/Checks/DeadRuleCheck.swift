internal import GatePolicy

/// Finds rules that never change a decision because an earlier rule is at least as strict for the same clients, and
/// `next` floors that are no stricter than the rule that contains them.
///
/// Only earlier rules count: of two rules with the same decision, the first one is reported to the
/// client.
struct DeadRuleCheck: FindingCheck {
    func check(_ rules: RulesInReview, at now: Timestamp, _ findings: FindingCollector) {
        let definition = rules.definition
        for (index, floor) in rules.floors.enumerated() where floor.base == nil {
            let stronger = rules.covering.places(covering: index).prefix { $0 < index }.first {
                let other = rules.floors[$0]
                return other.base == nil
                    && self.outdoes(other.rule, floor.rule, definition.unidentified)
            }
            guard let stronger else { continue }
            let message =
                "\(floor.words) never changes a decision: '\(rules.floors[stronger].rule.id)' is "
                + "at least as strict for the same clients"
            findings.report(.deadRule, message, on: floor, at: nil)
        }
        for floor in rules.floors {
            guard let base = floor.base, base.isActiveForAllClients(at: now), base.mode == .enforce,
                base.schedule == .always, !FloorOrder([base], [floor.rule]).onlySecond
            else { continue }
            let message =
                "\(floor.words) never changes a decision: the rule that contains it is at "
                + "least as strict"
            findings.report(.deadRule, message, on: floor, at: nil)
        }
    }

    private func outdoes(
        _ stronger: RuleDefinition,
        _ rule: RuleDefinition,
        _ unidentified: UnidentifiedPolicy
    ) -> Bool {
        guard rule.mode == .enforce, rule.maintenance == nil, stronger.alwaysEnforces,
            rule.next.isEmpty, !rule.recommendsStoreVersion, rule.recommendedBuild == nil,
            rule.prerelease == stronger.prerelease,
            rule.blockedBuilds.isEmpty, stronger.blockedBuilds.isEmpty,
            // A client that cannot update gets no recommendation, so both rules must require the
            // same OS version.
            rule.requiresOS == stronger.requiresOS
        else { return false }
        // A client may be denied because it does not send a part of the identity that only the
        // narrower rule needs.
        let letsPass = unidentified.missing == .allow && unidentified.unreadable == .allow
        guard letsPass || stronger.match.asksForSameParts(as: rule.match) else { return false }
        return self.outdoesInBuilds(stronger, rule) || self.outdoesInVersions(stronger, rule)
    }

    /// Whether the build floor of the stronger rule is at least as high as that of the other rule.
    ///
    /// Rules with floors for both builds and versions are skipped, because a request may lack either of them.
    private func outdoesInBuilds(_ stronger: RuleDefinition, _ rule: RuleDefinition) -> Bool {
        guard !self.dependsOnVersion(stronger), !self.dependsOnVersion(rule) else { return false }
        guard let build = rule.minimumBuild, let floor = stronger.minimumBuild else { return false }
        return build <= floor
    }

    private func outdoesInVersions(_ stronger: RuleDefinition, _ rule: RuleDefinition) -> Bool {
        guard stronger.minimumBuild == nil, rule.minimumBuild == nil,
            rule.blocked.allSatisfy({ stronger.blocked.contains($0) })
        else { return false }
        if let minimum = rule.minimum {
            guard let floor = stronger.minimum, self.reaches(floor, minimum) else { return false }
        }
        if let recommended = rule.recommended {
            let asked = [stronger.minimum, stronger.recommended].compactMap(\.self)
            return asked.contains { self.reaches($0, recommended) }
        }
        return self.dependsOnVersion(rule)
    }

    private func dependsOnVersion(_ rule: RuleDefinition) -> Bool {
        rule.minimum != nil || rule.recommended != nil || !rule.blocked.isEmpty
            || rule.minimumBuildOf != nil
    }

    /// Whether all versions below `floor` are below `higher`, regardless of how pre-releases are
    /// handled.
    private func reaches(_ higher: AppVersion, _ floor: AppVersion) -> Bool {
        higher == floor || (floor == floor.release && floor < higher)
    }
}

extension RuleDefinition {
    /// Whether the floor or the route of the rule always applies to all clients that match.
    var alwaysEnforces: Bool {
        self.mode == .enforce && self.schedule == .always && self.rollout.isEmpty
            && self.maintenance == nil && self.holdUntilInStore == nil
    }
}
