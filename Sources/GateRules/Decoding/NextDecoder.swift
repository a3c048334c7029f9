internal import GatePolicy

/// Decodes an entry of `next`: a future floor, in addition to the rule's current floor.
struct NextDecoder {
    static let keys =
        ["minimum", "minimumBuild", "minimumBuildOf", "blocked", "blockedBuilds"]
        + ScheduleDecoder.keys.filter { $0 != "until" }
        + ["rollout", "holdUntilInStore", "requiresOS", "notice", "recommendedNotice", "snooze"]
        + ["storeUrl", "mode"]

    let problems: Problems

    /// Decodes the floor as a separate rule, which inherits other settings from the rule, such as
    /// `match`, and `storeUrl` unless it has its own.
    ///
    /// - Parameters:
    ///   - element: The value of `next`, or one item of its list.
    ///   - rule: The rule that contains `next`.
    ///   - until: The end of that rule, which is also the end of the floor.
    /// - Returns: The floor; `nil` if the element is not a mapping.
    func decode(
        _ element: Element,
        of rule: RuleDefinition,
        _ until: NamedTime?
    ) -> RuleDefinition? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        self.checkDemands(fields, of: rule)
        let decoder = RuleDecoder(problems: self.problems)
        var next = rule
        next.route = nil
        next.minimum = fields["minimum"].flatMap { decoder.version($0) }
        next.minimumBuild = fields["minimumBuild"].flatMap { $0.build(self.problems) }
        next.minimumBuildOf = fields["minimumBuildOf"].flatMap { decoder.version($0) }
        next.blocked =
            fields["blocked"].map { MatchDecoder(problems: self.problems).ranges($0) } ?? []
        next.blockedBuilds = BlockedBuildsDecoder(problems: self.problems).decode(fields)
        self.read(fields, into: &next)
        next.schedule = ScheduleDecoder(problems: self.problems).decode(fields)
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

    private func read(_ fields: Fields, into next: inout RuleDefinition) {
        next.rollout =
            fields["rollout"].map { RolloutDecoder(problems: self.problems).decode($0) } ?? []
        next.holdUntilInStore = fields["holdUntilInStore"]
            .flatMap { HoldDecoder(problems: self.problems).decode($0) }
        if let element = fields["requiresOS"] {
            next.requiresOS = MatchDecoder(problems: self.problems).ranges(element)
        }
        for (key, path) in [
            ("notice", \RuleDefinition.notice), ("recommendedNotice", \.recommendedNotice),
        ] {
            guard let element = fields[key] else { continue }
            next[keyPath: path] = element.text("a notice name", self.problems)
        }
        if let element = fields["snooze"] { next.snooze = element.timeSpan(self.problems) }
        if let element = fields["storeUrl"] {
            next.storeURL = StoreURLDecoder(problems: self.problems).decode(element)
        }
        let mode = fields["mode"].flatMap { $0.choice(of: RuleMode.self, self.problems) }
        if mode == .observe { next.mode = .observe }
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
        if fields["minimumBuild"] == nil, let place = fields.place(of: "minimumBuildOf") {
            self.problems.report("'minimumBuildOf' has no effect without 'minimumBuild'", at: place)
        }
        if fields["holdUntilInStore"] != nil, rule.match.platforms == nil,
            let place = fields.place(of: "holdUntilInStore")
        {
            let message =
                "'holdUntilInStore' needs 'match' with 'platform': every store has its own releases"
            self.problems.report(message, at: place)
        }
        if fields["warnFrom"] != nil, fields["enforceFrom"] == nil,
            let place = fields.place(of: "rollout")
        {
            let message =
                "'rollout' with 'warnFrom' needs 'enforceFrom'; otherwise this 'next' only warns"
            self.problems.report(message, at: place)
        }
    }
}

extension RuleDefinition {
    /// Puts the rule and all its `next` floors in observe mode.
    package mutating func observe() {
        self.mode = .observe
        for index in self.next.indices { self.next[index].mode = .observe }
    }
}
