import GateTestSupport

/// A condition that the outcome of a case must meet.
struct Demand: Sendable {
    /// Returns the violation, or `nil`.
    let check: @Sendable (Observation) -> String?

    init(_ check: @escaping @Sendable (Observation) -> String?) {
        self.check = check
    }

    /// Creates a demand from a condition and the text that describes its violation.
    init(_ complaint: String, _ holds: @escaping @Sendable (Observation) -> Bool) {
        self.init { holds($0) ? nil : complaint }
    }

    func violation(in observation: Observation) -> String? { self.check(observation) }

    static func all(_ demands: [Demand]) -> Demand {
        Demand { observation in
            demands.lazy.compactMap { $0.violation(in: observation) }.first
        }
    }

    /// A demand that applies unless the condition is true.
    static func unless(
        _ condition: @escaping @Sendable (Observation) -> Bool,
        _ demand: Demand
    ) -> Demand {
        Demand { condition($0) ? nil : demand.violation(in: $0) }
    }

    /// A proxy may respond with an error; the other demands apply only if it does not.
    static func refusedOr(_ demands: Demand..., refused: [Demand] = []) -> Demand {
        Demand { observation in
            let isRefused = (observation.final.first?.response.status ?? 0) >= 400
            return Demand.all(isRefused ? refused : demands).violation(in: observation)
        }
    }
}
