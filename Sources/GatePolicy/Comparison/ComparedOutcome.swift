/// The fate of one kind of client under one rule set.
package struct ComparedOutcome: Sendable, Hashable {
    package let kind: Decision.Kind
    /// The rule that decides; `nil` if none does.
    package let rule: String?
    /// The status of the gate's own answer; `nil` if the request passes.
    package let status: Int?
    package let storeURL: String?
    /// Whether the client is told that no update helps it.
    package let cannotUpdate: Bool
    /// Whether the denial ends by itself, with a brownout.
    package let isBrownout: Bool
    /// The number of the rule's kind of answer, beside status and link: equal numbers, equal
    /// answers.
    let answerNumber: Int

    init(_ decision: Decision, status: Int?, answerNumber: Int) {
        self.kind = decision.kind
        self.rule = decision.ruleID
        self.status = status
        self.storeURL = decision.upgrade.storeURL
        self.cannotUpdate = decision.upgrade.cannotUpdate
        self.isBrownout = decision.brownout != nil
        self.answerNumber = answerNumber
    }

    /// Whether a client notices a difference.
    func isNoticeable(beside other: ComparedOutcome) -> Bool {
        self.kind != other.kind || self.status != other.status || self.storeURL != other.storeURL
            || self.cannotUpdate != other.cannotUpdate || self.isBrownout != other.isBrownout
            || self.answerNumber != other.answerNumber
    }
}

/// Clients that get another outcome, all of them from the same one to the same one.
package struct ComparedChange: Sendable, Equatable {
    /// The apps of these clients, and so on; `nil` where it makes no difference.
    package var apps: ComparedChoice?
    package var platforms: ComparedChoice?
    package var channels: ComparedChoice?
    package var osVersions: ComparedChoice?
    package var builds: ComparedChoice?
    package var countries: ComparedChoice?
    package var storefronts: ComparedChoice?
    package var requests: ComparedChoice?
    /// In words: `>=3.5.0 <4.0.0`, `missing`, `unreadable`.
    package var versions: String
    package var before: ComparedOutcome
    package var after: ComparedOutcome
    /// How many of these clients it concerns, from above 0 to 1: a roll-out concerns only some.
    package var share: Double
}

/// The differences between two rule sets from one time on.
package struct ComparedPeriod: Sendable, Equatable {
    package let from: Timestamp
    package let changes: [ComparedChange]
}

/// The differences between two rule sets.
package struct RuleSetDifference: Sendable, Equatable {
    /// In the order of time; each holds until the next one begins.
    package let periods: [ComparedPeriod]
    /// Whether the rule sets name too much for every combination to be tried.
    package let isSampled: Bool
    /// Whether they read in other places who a client is; the comparison is by what they read.
    package let readsOtherFields: Bool
    /// Whether they ask otherwise how clients write their version or build, which is not compared.
    package let asksOtherForms: Bool

    /// Whether no client notices anything, as far as that can be said: who it is, is read elsewhere
    /// if `readsOtherFields`.
    package var isEmpty: Bool {
        !self.readsOtherFields && !self.asksOtherForms && self.periods.allSatisfy(\.changes.isEmpty)
    }
}
