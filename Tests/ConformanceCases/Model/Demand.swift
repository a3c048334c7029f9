import GateTestSupport

/// One thing that must hold of what came of a case.
struct Demand: Sendable {
    /// The thing that was not as it must be, or `nil`.
    let check: @Sendable (Observation) -> String?

    init(_ check: @escaping @Sendable (Observation) -> String?) {
        self.check = check
    }

    /// A demand of one condition, with the words for when it does not hold.
    init(_ complaint: String, _ holds: @escaping @Sendable (Observation) -> Bool) {
        self.init { holds($0) ? nil : complaint }
    }

    func violation(in observation: Observation) -> String? { self.check(observation) }

    static func all(_ demands: [Demand]) -> Demand {
        Demand { observation in
            demands.lazy.compactMap { $0.violation(in: observation) }.first
        }
    }

    /// Holds where the condition does not.
    static func unless(
        _ condition: @escaping @Sendable (Observation) -> Bool,
        _ demand: Demand
    ) -> Demand {
        Demand { condition($0) ? nil : demand.violation(in: $0) }
    }

    /// A proxy may refuse with an error, and is asked for the rest only if it does not.
    static func refusedOr(_ demands: Demand..., refused: [Demand] = []) -> Demand {
        Demand { observation in
            let isRefused = (observation.final.first?.response.status ?? 0) >= 400
            return Demand.all(isRefused ? refused : demands).violation(in: observation)
        }
    }
}
