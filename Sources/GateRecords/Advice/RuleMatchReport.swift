package import GateCensus
package import GatePolicy
internal import GateRules

/// When each rule in force last decided about a request, as a table for people and as data for programs.
package struct RuleMatchReport: Sendable {
    private struct Line {
        let rule: String
        let observes: Bool
        let match: LastMatch?
        let share: ReturnSample.Share?
    }

    private let lines: [Line]

    /// - Parameters:
    ///   - definition: The rules in force.
    ///   - matches: When rules last decided.
    ///   - shares: What became of the devices that they refused, as far as they are in the sample.
    package init(
        _ definition: RuleSetDefinition,
        _ matches: [String: LastMatch],
        _ shares: [String: ReturnSample.Share]
    ) {
        self.lines = definition.rules.map { rule in
            Line(
                rule: rule.id,
                observes: definition.mode == .observe || rule.mode == .observe,
                match: matches[rule.id],
                share: shares[rule.id]
            )
        }
    }
}

extension RuleMatchReport: CustomStringConvertible {
    package var description: String {
        let rows = self.lines.map { line in
            let last =
                line.match.map { Self.words($0) }
                ?? (line.observes ? "not told: it does but observe" : "never, as far as is kept")
            return [line.rule, last, line.share.map { Self.words($0) } ?? "-"]
        }
        return TextTable([["rule", "last decided", "came back updated, in 30 days"]] + rows).lines
            .joined(separator: "\n")
    }

    private static func words(_ share: ReturnSample.Share) -> String {
        let part = Double(share.returned) / Double(max(share.refused, 1))
        return "\(ShareWords.percent(part)) of \(share.refused) devices"
    }

    private static func words(_ match: LastMatch) -> String {
        guard match.within > 60 else { return "\(match.at)" }
        return "\(match.at), or up to \(TimeSpan(seconds: match.within)) before"
    }
}

extension RuleMatchReport: Encodable {
    private struct Entry: Encodable {
        let rule: String
        let observes: Bool
        let lastMatch: String?
        let withinSeconds: Int64?
        /// Devices of the sample that it refused in 30 days, and those that came back with a newer build.
        let refusedDevices: Int?
        let returnedDevices: Int?
    }

    private enum Key: String, CodingKey {
        case rules
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(
            self.lines.map { line in
                Entry(
                    rule: line.rule,
                    observes: line.observes,
                    lastMatch: line.match.map { "\($0.at)" },
                    withinSeconds: line.match.map(\.within),
                    refusedDevices: line.share?.refused,
                    returnedDevices: line.share?.returned
                )
            },
            forKey: .rules
        )
    }
}
