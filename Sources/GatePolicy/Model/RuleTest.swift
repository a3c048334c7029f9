/// A test request in the rules file, and the expected decision.
package struct RuleTest: Sendable, Equatable {
    /// The name of the test, which is unique in its rule set.
    package var name: String
    package var headers: [HeaderField]
    package var method: String
    /// The request target: a path with an optional query.
    package var path: String
    /// The time of the request; `nil` if the test must pass at all times from the test run onward.
    package var at: Timestamp?
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

/// The expected results of a test.
///
/// A `nil` part is not checked.
package struct RuleExpectation: Sendable, Equatable {
    /// The value of `rule` for a decision that no rule made.
    package static let noRule = "none"
    /// The name of the policy for unidentified clients in `observed`.
    package static let unidentified = "unidentified"

    /// The accepted decisions; empty if any decision is accepted.
    package var decisions: [Decision.Kind]
    /// The ID of the rule that decides, or `noRule`.
    package var rule: String?
    /// The expected status of the denial.
    package var status: Int?
    /// The expected store URL for the client.
    package var storeURL: String?
    /// The name of the backend that a route selects, or `Route.defaultBackend`.
    package var route: String?
    /// The IDs of all rules in observe mode that would have taken effect, in any order.
    package var observed: [String]?

    package init(
        decisions: [Decision.Kind] = [],
        rule: String? = nil,
        status: Int? = nil,
        storeURL: String? = nil,
        route: String? = nil,
        observed: [String]? = nil
    ) {
        self.decisions = decisions
        self.rule = rule
        self.status = status
        self.storeURL = storeURL
        self.route = route
        self.observed = observed
    }
}
