import GateTestSupport

/// The bytes that a client and a backend send, and the demands on the outcome.
package struct ConformanceCase: Sendable, CustomStringConvertible {
    package var name: String
    package var area: Area
    /// The section that contains the rule, such as `RFC 9112 6.3`.
    package var section: String
    package var strength: Strength
    var client: [ClientStep]
    /// The backend's reactions to a target, by attempt; the last one also applies to all later
    /// attempts.
    ///
    /// A target that is not listed gets an echo.
    var backend: [String: [[BackendStep]]]
    /// The demands on any proxy.
    var demands: [Demand]
    /// The additional demands on the gate.
    var ours: [Demand]

    package var description: String { "\(self.name) (\(self.section))" }

    /// Whether only the gate can pass the case, because it tests the gate's rules.
    package var isPolicy: Bool { self.area == .enforcement }

    init(
        _ strength: Strength,
        _ name: String,
        _ section: String,
        client: [ClientStep],
        backend: [String: [[BackendStep]]] = [:],
        demands: [Demand],
        ours: [Demand] = []
    ) {
        self.name = name
        self.area = .requestLine
        self.section = section
        self.strength = strength
        self.client = client
        self.backend = backend
        self.demands = demands
        self.ours = ours
    }

    /// Returns the violated demands.
    package func violations(in observation: Observation, byTheGate isGate: Bool) -> [String] {
        (self.demands + (isGate ? self.ours : [])).compactMap { $0.violation(in: observation) }
    }
}

extension ConformanceCase {
    /// All cases, by area.
    package static let all: [ConformanceCase] = Area.allCases.flatMap(Self.cases(of:))

    package static func cases(of area: Area) -> [ConformanceCase] {
        let cases =
            switch area {
            case .requestLine: Self.requestLines
            case .fields: Self.fields
            case .framing: Self.framing
            case .chunks: Self.chunks
            case .hopByHop: Self.hopByHop
            case .forwarding: Self.forwarding
            case .responses: Self.responses
            case .truncation: Self.truncation
            case .leftovers: Self.leftovers
            case .persistence: Self.persistence
            case .interim: Self.interim
            case .endings: Self.endings
            case .enforcement: Self.enforcement
            }
        return cases.map { each in
            var each = each
            each.area = area
            return each
        }
    }
}

/// The areas of the cases.
package enum Area: String, Sendable, CaseIterable, CustomStringConvertible {
    case requestLine = "request line"
    case fields = "header syntax"
    case framing = "request framing and smuggling"
    case chunks = "chunked syntax and trailers"
    case hopByHop = "hop-by-hop fields"
    case forwarding = "methods, targets, upgrades"
    case responses = "odd and hostile responses"
    case truncation = "truncation"
    case leftovers = "bytes left over"
    case persistence = "keep-alive and pipelining"
    case interim = "early and interim responses, Expect"
    case endings = "half-close and resets"
    case enforcement = "enforcement"

    package var description: String { self.rawValue }
}

/// The requirement level of the rule in the RFC.
package enum Strength: String, Sendable, CaseIterable {
    case must = "MUST"
    case should = "SHOULD"
    /// The RFC does not require the behavior, but its absence could cause harm.
    case robustness = "robustness"
}
