/// The outcome for one kind of client under one rule set.
package struct ComparedOutcome: Sendable, Hashable {
    package let kind: Decision.Kind
    /// The ID of the rule that determined the decision; `nil` if no rule did.
    package let rule: String?
    /// The status of the denial; `nil` if the request is forwarded.
    package let status: Int?
    package let storeURL: String?
    /// Whether the response states that no update is available for the client's device.
    package let cannotUpdate: Bool
    /// Whether the denial is a brownout, which ends automatically.
    package let isBrownout: Bool
    /// The route to a named backend; `nil` if the request is denied or goes to the default backend.
    package let route: Decision.Destination?
    /// The number that identifies the response in `ComparedAnswers`.
    ///
    /// Equal responses have equal numbers.
    let answerNumber: Int

    init(_ decision: Decision, status: Int?, answerNumber: Int) {
        self.kind = decision.kind
        self.rule = decision.ruleID
        self.status = status
        self.storeURL = decision.upgrade.storeURL
        self.cannotUpdate = decision.upgrade.cannotUpdate
        self.isBrownout = decision.brownout != nil
        self.route = decision.route
        self.answerNumber = answerNumber
    }

    /// Whether clients can notice the difference between two outcomes.
    ///
    /// A different backend counts as noticeable, and so does a different fallback for an
    /// unreachable backend.
    func isNoticeable(beside other: ComparedOutcome) -> Bool {
        self.kind != other.kind || self.status != other.status || self.storeURL != other.storeURL
            || self.cannotUpdate != other.cannotUpdate || self.isBrownout != other.isBrownout
            || self.answerNumber != other.answerNumber
            || self.route?.backend != other.route?.backend
            || self.route?.fallback != other.route?.fallback
    }
}

/// The clients whose outcome changes in the same way.
package struct ComparedChange: Sendable, Equatable {
    /// The apps of the affected clients.
    ///
    /// Each `ComparedChoice` is `nil` if the change does not depend on that property.
    package var apps: ComparedChoice?
    package var platforms: ComparedChoice?
    package var channels: ComparedChoice?
    package var osVersions: ComparedChoice?
    package var builds: ComparedChoice?
    package var countries: ComparedChoice?
    package var storefronts: ComparedChoice?
    package var requests: ComparedChoice?
    /// The versions as a string, such as `>=3.5.0 <4.0.0`, `missing` or `unreadable`.
    package var versions: String
    package var before: ComparedOutcome
    package var after: ComparedOutcome
    /// The affected share of these clients: greater than 0 and at most 1.
    ///
    /// The share is less than 1 only in rollouts.
    package var share: Double
}

/// The differences between two rule sets from a given time until the start of the next period.
package struct ComparedPeriod: Sendable, Equatable {
    package let from: Timestamp
    package let changes: [ComparedChange]
}

/// The differences between two rule sets.
package struct RuleSetDifference: Sendable, Equatable {
    /// The periods in chronological order; each lasts until the next one starts.
    package let periods: [ComparedPeriod]
    /// Whether only typical combinations were compared, because there were too many to compare them
    /// all.
    package let isSampled: Bool
    /// Whether the rule sets read the client identity from different fields.
    ///
    /// Clients are compared by their values, regardless of the fields.
    package let readsOtherFields: Bool
    /// Whether the rule sets block different notations of versions or builds.
    ///
    /// Notations are not compared client by client.
    package let notationsDiffer: Bool

    /// Whether the rule sets have no differences.
    ///
    /// A difference is a change that a compared client can notice, or a change to the identity
    /// fields or the notations, which are not compared client by client.
    package var isEmpty: Bool {
        !self.readsOtherFields && !self.notationsDiffer
            && self.periods.allSatisfy(\.changes.isEmpty)
    }
}
