import GateFeeds
import GatePolicy
import Testing

@testable import GateRules

/// Findings about denials that are too large for gateways.
struct LargeDenialCheckTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_798_113_600)

    private func findings(_ messages: [String: String], servesGateways: Bool) throws -> [String] {
        let texts = messages.map { "    \($0): { title: t, message: \"\($1)\" }" }.joined(
            separator: "\n"
        )
        let rules = """
            defaultLanguage: ja
            rules:
            - id: a
              match: { platform: ios }
              minimum: "2.0"
              notice: n
              storeUrl: https://apps.apple.com/app/id1
            notices:
              n:
            \(texts)
            """
        let loaded = try RulesFileLoader.load(
            [RulesSource(name: "r.yaml", bytes: Array(rules.utf8))],
            feedKinds: .all,
            gate: GateContext(servesGateways: servesGateways),
            now: { Self.now }
        )
        return RulesFindings(loaded, at: Self.now).all.filter { $0.name == .largeDenial }
            .map(\.description)
    }

    @Test(arguments: [
        (["ja": String(repeating: "更", count: 600)], []),
        (["ja": String(repeating: "更", count: 800)], ["proxy_buffer_size"]),
        (
            ["ja": String(repeating: "更", count: 4_200)],
            ["proxy_buffer_size", "without texts"]
        ),
        (
            ["ja": String(repeating: "更", count: 5_200)],
            ["proxy_buffer_size", "without texts", "tune.bufsize"]
        ),
        (
            ["ja": "short", "en": String(repeating: "x", count: 5_000)],
            ["in the language 'en'", "proxy_buffer_size"]
        ),
    ])
    func `texts of different sizes`(messages: [String: String], parts: [String]) throws {
        let findings = try self.findings(messages, servesGateways: true)
        #expect(findings.count == (parts.isEmpty ? 0 : 1))
        for part in parts { #expect(findings[0].contains(part), "\(findings)") }
        for other in ["proxy_buffer_size", "without texts", "tune.bufsize"]
        where !parts.contains(other) {
            #expect(!(findings.first ?? "").contains(other), "\(findings)")
        }
        #expect(try self.findings(messages, servesGateways: false) == [])
    }
}
