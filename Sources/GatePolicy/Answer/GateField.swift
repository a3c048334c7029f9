/// The request header fields that only the gate writes, or that the backend never gets.
package enum GateField {
    /// Tells the backend about the decision.
    package static let decision = "X-VersionGate-Decision"
    /// Tells the backend, or the gateway, the name of the backend that a route selects.
    package static let route = "X-VersionGate-Route"

    /// The names that are removed from requests, in lower case, because clients could forge them.
    package static let forgeable = [
        "x-versiongate",
        "x-versiongate-decision",
        "x-versiongate-body",
        "x-versiongate-route",
        "x-versiongate-status",
        // Sent by testers; read only if previews are enabled, and never forwarded.
        "x-versiongate-preview",
        // Lifts denials; read only if passes are enabled, and never forwarded.
        "x-versiongate-pass",
    ]
}

extension Decision {
    /// The fields about the decision that are added to a request for the backend.
    package var backendFields: [HeaderField] {
        let decision = HeaderField(name: GateField.decision, value: self.name)
        let route = self.route.map { HeaderField(name: GateField.route, value: $0.backend) }
        return [decision] + [route].compactMap(\.self)
    }

    /// The names of the facts for the log of a gateway, in alphabetical order.
    package static let factNames = ["decision", "observed", "revision", "route", "rule"]

    /// The decision as facts for the log of a gateway, in the order of `factNames`.
    package func facts(of revision: String) -> [(name: String, value: String)] {
        let values = [
            self.name, self.observedRules, revision, self.route?.backend, self.ruleID,
        ]
        return zip(Self.factNames, values).compactMap { name, value in value.map { (name, $0) } }
    }

    /// The IDs of the rules in observe mode that would have denied the request or recommended an
    /// update, separated by commas; `nil` if there are none.
    package var observedRules: String? {
        let ids = self.observed.map { $0.ruleID ?? RuleExpectation.unidentified }
        return ids.isEmpty ? nil : ids.joined(separator: ",")
    }
}
