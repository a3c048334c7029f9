/// The facts about a gate that its rules depend on.
package struct GateContext: Sendable, Equatable {
    /// The names of the backends that routes can select; `nil` if they are not known.
    package var backends: [String]?
    /// Whether gateways request decisions from the gate.
    package var servesGateways: Bool

    /// The facts if no particular gate is known.
    package static let unknown = GateContext()

    package init(backends: [String]? = nil, servesGateways: Bool = false) {
        self.backends = backends
        self.servesGateways = servesGateways
    }
}
