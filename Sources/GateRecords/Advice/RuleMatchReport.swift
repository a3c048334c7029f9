package import GateCensus
package import GatePolicy
internal import GateRules

/// The last match of each active rule, as a text table and as JSON.
package struct RuleMatchReport: Sendable {
    private struct Line {
        let rule: String
        let observes: Bool
        let match: LastMatch?
        let share: ReturnSample.Share?
    }

    private let lines: [Line]

    /// Creates a report on the active rules.
    ///
    /// `shares` contains, by rule, the share of the sampled denied devices that returned with a newer
    /// build.
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
                ?? (line.observes ? "unknown: observe mode" : "never in the stored data")
            return [line.rule, last, line.share.map { Self.words($0) } ?? "-"]
        }
        let titles = ["rule", "last decided", "returned with an update (30 days)"]
        return TextTable([titles] + rows).lines.joined(separator: "\n")
    }

    private static func words(_ share: ReturnSample.Share) -> String {
        let part = Double(share.returned) / Double(max(share.refused, 1))
        return "\(ShareFormat.percent(part)) of \(share.refused) devices"
    }

    private static func words(_ match: LastMatch) -> String {
        guard match.within > 60 else { return "\(match.at)" }
        return "\(match.at), or up to \(TimeSpan(seconds: match.within)) earlier"
    }
}

extension RuleMatchReport: Encodable {
    private struct Entry: Encodable {
        let rule: String
        let observes: Bool
        let lastMatch: String?
        let withinSeconds: Int64?
        /// The number of sampled devices that the rule denied in the last 30 days, and the number
        /// of these devices that returned with a newer build.
        let refusedDevices: Int?
        let returnedDevices: Int?
    }

    package func encode(to encoder: any Encoder) throws {
        let entries = self.lines.map { line in
            Entry(
                rule: line.rule,
                observes: line.observes,
                lastMatch: line.match.map { "\($0.at)" },
                withinSeconds: line.match.map(\.within),
                refusedDevices: line.share?.refused,
                returnedDevices: line.share?.returned
            )
        }
        try ["rules": entries].encode(to: encoder)
    }
}
