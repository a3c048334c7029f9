internal import GatePolicy
internal import GateProxy
internal import GateRules

/// The gate's response to a request, and the reason for the decision.
struct ExplainReport: Encodable {
    struct Observed: Encodable {
        /// The ID of the rule; `nil` if the policy for unidentified clients applies instead of a rule.
        let rule: String?
        let decision: String
        let reason: String
    }

    struct Route: Encodable {
        let rule: String
        let backend: String
        /// The action while the backend is unreachable: `refuse` or `default`.
        let otherwise: String

        init(_ destination: Decision.Destination) {
            self.rule = destination.ruleID
            self.backend = destination.backend
            self.otherwise = destination.fallback.rawValue
        }
    }

    struct Held: Encodable {
        let rule: String
        /// The time until which the rule is held; `nil` if unknown.
        let until: Timestamp?
    }

    struct Deferred: Encodable {
        let rule: String
        let reason: String
        let words: String
    }

    let revision: String
    let at: Timestamp
    /// The outcome: `refused`, `answered`, `denied` or `passed`.
    ///
    /// `refused` means that the request is not valid HTTP. `answered` means that the response is from
    /// one of the gate's endpoints.
    private(set) var outcome: String
    private(set) var decision: String?
    private(set) var rule: String?
    private(set) var reason: String?
    /// The route to a named backend; `nil` if the request goes to the default backend.
    private(set) var route: Route?
    private(set) var observed: [Observed] = []
    private(set) var observedRoutes: [Route] = []
    private(set) var held: [Held] = []
    private(set) var deferred: [Deferred] = []
    /// The response to the client, byte for byte, if the gate generates it.
    private(set) var answer: String?
    /// The request head that the backend receives.
    private(set) var upstreamHead: String?
    /// The header fields that are added to the backend's response.
    private(set) var addedFields: String?

    /// Evaluates a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - ruleSet: The rules.
    ///   - now: The time of the request, unless the request specifies one.
    init(_ request: ExplainedRequest, by ruleSet: RuleSet, at now: Timestamp) {
        let time = request.time ?? now
        let fields = request.headers.map { "\($0.name): \($0.value)" }
        let head = DryRun.head(request.method, request.path, fields: fields)
        self.revision = ruleSet.revision
        self.at = time
        let run = DryRun(ruleSet: ruleSet, at: time, address: request.address ?? "192.0.2.1")
        switch run.judge(head) {
        case .refused(let answer):
            self.outcome = "refused"
            self.reason = "\(answer.status): \(answer.detail)"
        case .answered(let decision, let answer):
            self.outcome = "answered"
            self.answer = answer
            if let decision { self.add(decision, []) }
        case .denied(let decision, let deferrals, let answer):
            self.outcome = "denied"
            self.answer = answer
            self.add(decision, deferrals)
        case .passed(let decision, let deferrals, let upstreamHead, let addedFields):
            self.outcome = "passed"
            self.upstreamHead = upstreamHead
            self.addedFields = addedFields
            self.add(decision, deferrals)
        }
    }

    private mutating func add(_ decision: Decision, _ deferrals: [Deferral]) {
        self.decision = decision.kind.rawValue
        self.rule = decision.ruleID
        self.reason = decision.reason(with: deferrals)
        self.route = decision.route.map { Route($0) }
        self.observedRoutes = decision.observedRoutes.map { Route($0) }
        self.observed = decision.observed.map { observed in
            Observed(
                rule: observed.ruleID,
                decision: observed.kind.rawValue,
                reason: "\(observed.reason)"
            )
        }
        self.held = decision.held.map { Held(rule: $0.ruleID, until: $0.until) }
        self.deferred = deferrals.map { deferral in
            Deferred(rule: deferral.ruleID, reason: "\(deferral.reason)", words: deferral.words)
        }
    }
}
