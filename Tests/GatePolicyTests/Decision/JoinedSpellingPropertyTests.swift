import GateTestSupport
import Testing

@testable import GatePolicy

/// Random formats of a version and a build, in one field or in two.
///
/// No client with a version below the floor passes, and an unparsable part does not affect rules that do not depend on
/// it.
@Suite struct JoinedSpellingPropertyTests {
    /// A client with its actual values and the header fields that it sends.
    private struct Client {
        /// `nil` if the version is unparsable.
        var version: [Int]?
        /// `nil` if the build is unparsable or missing.
        var build: [Int]?
        var statesBuild = false
        var headers: [(String, String)] = []
    }

    private static let floor = [3, 5, 0]
    private static let lowestBuild = [93, 2]

    private static let unreadableVersions = [
        "3.x", "banana", "3.4.9b2", "9.9.9 beta 2", "Version 9.9", "1..2", "9.9.9.9.9.9",
    ]
    private static let unreadableBuilds = [
        "debug", "9a", "-1", "93.1.2.3.4", "0x5D", "18446744073709551616", "93 94", "1.", "b7",
        "6f1c2d3e-4b5a", "(93)",
    ]

    private static func isBelow(_ one: [Int], _ other: [Int]) -> Bool {
        let count = max(one.count, other.count)
        func filled(_ parts: [Int]) -> [Int] {
            parts + Array(repeating: 0, count: count - parts.count)
        }
        return filled(one).lexicographicallyPrecedes(filled(other))
    }

    private static func numbers(
        around base: [Int],
        parts: ClosedRange<Int>,
        _ random: inout SeededGenerator
    ) -> [Int] {
        let count = Int.random(in: parts, using: &random)
        return (0..<count).map { place in
            let near = place < base.count ? base[place] : 0
            return max(0, near + Int.random(in: -1...1, using: &random))
        }
    }

    private static func text(_ numbers: [Int], _ random: inout SeededGenerator) -> String {
        numbers.map { number in
            let zeros = Int.random(in: 0..<8, using: &random) == 0 ? "0" : ""
            return zeros + String(number)
        }.joined(separator: ".")
    }

    private static func client(_ random: inout SeededGenerator) -> Client {
        var client = Client()
        let version: String
        if Int.random(in: 0..<6, using: &random) == 0 {
            version = self.unreadableVersions.randomElement(using: &random) ?? ""
        } else {
            let numbers = self.numbers(around: self.floor, parts: 1...5, &random)
            client.version = numbers
            let mark = Bool.random(using: &random) ? "" : "v"
            version = mark + self.text(numbers, &random)
        }
        guard Int.random(in: 0..<8, using: &random) > 0 else {
            client.headers = [("x-app-version", version)]
            return client
        }
        client.statesBuild = true
        let build: String
        if Int.random(in: 0..<3, using: &random) == 0 {
            build = self.unreadableBuilds.randomElement(using: &random) ?? ""
        } else {
            let numbers = self.numbers(around: self.lowestBuild, parts: 1...4, &random)
            client.build = numbers
            build = self.text(numbers, &random)
        }
        let form = Int.random(in: 0..<7, using: &random)
        let blank = Bool.random(using: &random) ? " " : ""
        switch form {
        case 0: client.headers = [("x-app-version", "\(version)\(blank)(\(build))")]
        case 1 where client.build != nil:
            client.headers = [("x-app-version", "\(version)+\(build)")]
        case 2: client.headers = [("x-app-version", "\(version)\(blank)/\(blank)\(build)")]
        case 3: client.headers = [("x-app-version", "ios/\(version)\(blank)(\(build))")]
        case 4: client.headers = [("x-app-version", "iPhone OS/\(version)/\(build)")]
        case 5:
            client.headers = [("x-app-version", "\(version) (\(build)"), ("x-app-build", build)]
        default: client.headers = [("x-app-build", build), ("x-app-version", version)]
        }
        // An unclosed parenthesis makes the build unparsable, but not the version.
        if form == 5 { client.build = nil }
        // A version that starts with a letter could be parsed as a platform.
        if form == 2, client.version == nil {
            client.headers = [("x-app-version", "\(version) (\(build))")]
        }
        if Bool.random(using: &random) { client.headers.reverse() }
        return client
    }

    private static func policy(_ action: UnidentifiedPolicy.Action) -> UnidentifiedPolicy {
        var policy = UnidentifiedPolicy.defaults
        (policy.missing, policy.unreadable) = (action, action)
        policy.storeURL = StoreURL("https://a.example")
        return policy
    }

    private static func decide(_ rules: RuleSet, _ client: Client) -> Decision {
        rules.decide(
            rules.identify(rules.claims(client.headers)),
            in: .unrestricted,
            at: Timestamp(secondsSinceEpoch: 0),
            address: nil
        )
    }

    @Test(arguments: 0..<40)
    func `each rule only depends on the parts that it evaluates`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let link = StoreURL("https://a.example")
        let versions = try rule("versions", minimum: "3.5.0", storeURL: link)
        let lowest = try BuildNumber(parsing: "93.2")
        let builds = try rule("builds", minimumBuild: lowest, storeURL: link)
        for action in [UnidentifiedPolicy.Action.allow, .reject] {
            let policy = Self.policy(action)
            let byVersion = ruleSet([versions], unidentified: policy)
            let byBuild = ruleSet([builds], unidentified: policy)
            for _ in 0..<250 {
                let client = Self.client(&random)
                let unknown: Decision.Kind = action == .reject ? .require : .allow
                let wanted = client.version.map {
                    Self.isBelow($0, Self.floor) ? Decision.Kind.require : .allow
                }
                let decision = Self.decide(byVersion, client)
                #expect(decision.kind == wanted ?? unknown, "\(client.headers)")
                if wanted != nil { #expect(decision.gap == nil, "\(client.headers)") }
                let wantedBuild = client.build.map {
                    Self.isBelow($0, Self.lowestBuild) ? Decision.Kind.require : .allow
                }
                let decisionOnBuild = Self.decide(byBuild, client)
                #expect(decisionOnBuild.kind == wantedBuild ?? unknown, "\(client.headers)")
            }
        }
    }
}
