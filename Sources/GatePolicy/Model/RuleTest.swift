/// One request of the rules file, and what the rules must decide about it.
package struct RuleTest: Sendable, Equatable {
    /// The name of the test, unique in its rule set.
    package var name: String
    /// The header fields of the request.
    package var headers: [HeaderField]
    package var method: String
    /// The request target: the path, and a query if there is one.
    package var path: String
    /// When the request arrives; `nil` for the time of the test run.
    package var at: Timestamp?
    /// The address that it comes from.
    package var address: String?
    package var expectation: RuleExpectation

    package init(
        name: String,
        headers: [HeaderField] = [],
        method: String = "GET",
        path: String = "/",
        at: Timestamp? = nil,
        address: String? = nil,
        expectation: RuleExpectation
    ) {
        self.name = name
        self.headers = headers
        self.method = method
        self.path = path
        self.at = at
        self.address = address
        self.expectation = expectation
    }
}

/// The demands of a test on a decision; an absent part is not asked.
package struct RuleExpectation: Sendable, Equatable {
    /// The `rule` of a decision that no rule made.
    package static let noRule = "none"
    /// The policy on unidentified clients, among those that `observed`.
    package static let unidentified = "unidentified"

    /// The decisions that meet it; none: any does.
    package var decisions: [Decision.Kind]
    /// The id of the rule that decides, or `noRule`.
    package var rule: String?
    /// The status of the answer that the gate gives.
    package var status: Int?
    /// The link that the client is sent to for its update.
    package var storeURL: String?
    /// The ids of all rules that would have acted and only observe, in any order.
    package var observed: [String]?

    package init(
        decisions: [Decision.Kind] = [],
        rule: String? = nil,
        status: Int? = nil,
        storeURL: String? = nil,
        observed: [String]? = nil
    ) {
        self.decisions = decisions
        self.rule = rule
        self.status = status
        self.storeURL = storeURL
        self.observed = observed
    }

    /// Creates the expectation of one decision, or of none in particular.
    package init(
        decision: Decision.Kind?,
        rule: String? = nil,
        status: Int? = nil,
        storeURL: String? = nil,
        observed: [String]? = nil
    ) {
        self.init(
            decisions: decision.map { [$0] } ?? [],
            rule: rule,
            status: status,
            storeURL: storeURL,
            observed: observed
        )
    }
}
