/// The request header fields that are reserved for the gate.
///
/// The gate writes the fields itself, or reads them and does not forward them.
package enum GateField {
    /// The field that informs the backend of the decision.
    package static let decision = "X-VersionGate-Decision"
    /// The field that contains the name of the backend that a route selects; sent to the backend or
    /// the gateway.
    package static let route = "X-VersionGate-Route"

    /// The lower-case names of the fields that are removed from requests, because clients could
    /// forge them.
    package static let forgeable = [
        "x-versiongate",
        "x-versiongate-decision",
        "x-versiongate-body",
        "x-versiongate-route",
        "x-versiongate-status",
        // Testers send this field. It is read only if previews are enabled, and is never forwarded.
        "x-versiongate-preview",
        // This field lifts denials. It is read only if passes are enabled, and is never forwarded.
        "x-versiongate-pass",
    ]
}

extension Decision {
    /// The fields that inform the backend of the decision.
    package var backendFields: [HeaderField] {
        let decision = HeaderField(name: GateField.decision, value: self.name)
        let route = self.route.map { HeaderField(name: GateField.route, value: $0.backend) }
        return [decision] + [route].compactMap(\.self)
    }

    /// The names of the facts in a gateway's log, in alphabetical order.
    package static let factNames = ["decision", "observed", "revision", "route", "rule"]

    /// Returns the decision as facts for a gateway's log, in the order of `factNames`.
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
