internal import GatePolicy

/// Decodes an entry of `next`: a future floor, in addition to the rule's current floor.
struct NextDecoder {
    static let keys =
        ["minimum", "minimumBuild", "minimumBuildOf", "blocked", "blockedBuilds"]
        + ScheduleDecoder.keys.filter { $0 != "until" }
        + ["rollout", "holdUntilInStore", "requiresOS", "notice", "recommendedNotice", "snooze"]
        + ["storeUrl", "mode"]

    let problems: Problems

    /// Decodes the floor as a separate rule.
    ///
    /// The floor inherits `match` from the rule that contains `next`, and settings such as
    /// `storeUrl` unless `next` has its own.
    ///
    /// - Parameters:
    ///   - element: The value of `next`, or one item of its list.
    ///   - rule: The rule that contains `next`.
    ///   - until: The end of the rule, which is also the end of the floor.
    /// - Returns: The floor; `nil` if the element is not a mapping.
    func decode(
        _ element: Element,
        of rule: RuleDefinition,
        _ until: NamedTime?
    ) -> RuleDefinition? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        self.checkDemands(fields, of: rule)
        var next = rule
        next.route = nil
        next.setFloor(fields, self.problems)
        next.schedule.until = until?.time
        for key in ["enforceFrom", "warnFrom"] {
            NamedTime(key, of: fields, Problems())?.check(isBefore: until, self.problems)
        }
        // A recommended version below the floor would not help the client.
        if let minimum = next.minimum, let recommended = next.recommended, recommended < minimum {
            next.recommended = nil
        }
        if let minimum = next.minimumBuild, let build = next.recommendedBuild, build < minimum {
            next.recommendedBuild = nil
        }
        return next
    }

    private func checkDemands(_ fields: Fields, of rule: RuleDefinition) {
        if RuleKeyCombinations.floors.allSatisfy({ fields[$0] == nil }) {
            let message =
                "this 'next' has no effect: it needs 'minimum', 'minimumBuild' or 'blocked'"
            self.problems.report(message, at: fields.place)
        }
        if fields["storeUrl"] == nil, rule.storeURL == nil {
            let message = "a rule with 'next' needs 'storeUrl', so that denied clients can update"
            self.problems.report(message, at: fields.place)
        }
        if fields["minimumBuild"] == nil {
            fields.refuse("minimumBuildOf", "has no effect without 'minimumBuild'")
        }
        if rule.match.platforms == nil {
            let reason = "needs 'match' with 'platform': every store has its own releases"
            fields.refuse("holdUntilInStore", reason)
        }
        if fields["warnFrom"] != nil, fields["enforceFrom"] == nil {
            let reason = "with 'warnFrom' needs 'enforceFrom'; otherwise this 'next' only warns"
            fields.refuse("rollout", reason)
        }
    }
}

extension RuleDefinition {
    /// Decodes the keys that a rule and its `next` have in common.
    ///
    /// A missing `requiresOS`, notice, `snooze` or `storeUrl` leaves the value unchanged, so that a `next` inherits it.
    /// `mode` only turns observe mode on: `enforce` in a `next` does not cancel `observe` in its rule.
    mutating func setFloor(_ fields: Fields, _ problems: Problems) {
        self.minimum = fields["minimum"].flatMap { $0.bareVersion(problems) }
        self.minimumBuild = fields["minimumBuild"].flatMap { $0.build(problems) }
        self.minimumBuildOf = fields["minimumBuildOf"].flatMap { $0.bareVersion(problems) }
        self.blocked = fields["blocked"].map { $0.versionRanges(problems) } ?? []
        self.blockedBuilds = BlockedBuildsDecoder(problems: problems).decode(fields)
        self.schedule = ScheduleDecoder(problems: problems).decode(fields)
        self.rollout = fields["rollout"].map { RolloutDecoder(problems: problems).decode($0) } ?? []
        self.holdUntilInStore = fields["holdUntilInStore"]
            .flatMap { HoldDecoder(problems: problems).decode($0) }
        if let element = fields["requiresOS"] { self.requiresOS = element.versionRanges(problems) }
        if let element = fields["notice"] { self.notice = element.text("a notice name", problems) }
        if let element = fields["recommendedNotice"] {
            self.recommendedNotice = element.text("a notice name", problems)
        }
        if let element = fields["snooze"] { self.snooze = element.timeSpan(problems) }
        if let element = fields["storeUrl"] {
            self.storeURL = StoreURLDecoder(problems: problems).decode(element)
        }
        if fields.choice("mode", of: RuleMode.self) == .observe { self.mode = .observe }
    }

    /// Puts the rule and all its `next` floors in observe mode.
    package mutating func observe() {
        self.mode = .observe
        for index in self.next.indices { self.next[index].mode = .observe }
    }
}

/// Decodes `holdUntilInStore`: the store availability that a rule waits for.
struct HoldDecoder {
    static let keys = ["countries", "soak"]

    let problems: Problems

    func decode(_ element: Element) -> StoreHold? {
        if case .boolean("true") = element.content { return StoreHold() }
        guard case .mapping = element.content else {
            let expected = "true, or a mapping with 'countries' and 'soak'"
            return element.reject(expected: expected, self.problems)
        }
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        return StoreHold(
            countries: fields["countries"]
                .map { CountryDecoder(problems: self.problems).codes($0) } ?? [],
            soak: fields["soak"].flatMap { $0.timeSpan(self.problems) } ?? 0
        )
    }
}
