import GateRules
import GateTestSupport
import StandInStreams
import Testing

@testable import GateEnvoy

/// The rules that a gate publishes.
extension ModuleTests {
    private var publishedPath: String { self.folder.path(of: "rules.json") }

    private static func floor(_ floor: String, mode: String = "enforce") throws -> LoadedRules {
        let text = """
            rules:
              - id: ios
                match: { platform: ios }
                minimum: "\(floor)"
                mode: \(mode)
                storeUrl: https://apps.apple.com/app/id1234567890
            """
        return try RulesFileLoader.load(
            sources: [("rules.yaml", text)],
            feedKinds: .none,
            now: ThreadRules.wallClock
        )
    }

    /// Publishes rules as a gate does; `acting`: the rules after a trip of the circuit breaker.
    private func publish(_ rules: LoadedRules, acting: LoadedRules? = nil) throws {
        let published = PublishedRules(rules, acting: (acting ?? rules).ruleSet, [:])
        try self.folder.replace(
            "rules.json",
            with: String(decoding: published.json, as: UTF8.self)
        )
    }

    @Test func `each change of the gate's rules takes effect, and a broken file does not`() throws {
        try self.publish(try Self.floor("3.5.0"))
        let follower = try RulesFollower(.gate(path: self.publishedPath))
        let configuration = Configuration(follower)
        func passes() throws -> Bool {
            // One look is enough, because a gate may replace its file at any time.
            follower.check()
            return try #require(StandInStream(configuration)).send(Self.old)
        }
        #expect(try !passes())
        // The revision is that of the rules before the trip.
        try self.publish(try Self.floor("3.5.0"), acting: try Self.floor("3.5.0", mode: "observe"))
        #expect(try passes())
        try self.publish(try Self.floor("3.5.0"))
        #expect(try !passes())
        // The gate has accepted these rules; a file would be refused because of what it denies.
        try self.publish(try Self.floor("99.0"))
        #expect(try !passes())
        try self.publish(try Self.floor("1.0"))
        #expect(try passes())
        _ = Self.takeLog()
        try self.folder.replace("rules.json", with: "rules: []")
        #expect(try passes())
        #expect(Self.takeLog().contains("published rules must be JSON"))
        try self.publish(try Self.floor("3.5.0"))
        #expect(try !passes())
    }

    @Test func `the settings name the file, and say what it needs`() throws {
        try self.publish(try Self.floor("3.5.0"))
        let configuration = try #require(Configuration("published: \(self.publishedPath)"))
        #expect(try !#require(StandInStream(configuration)).send(Self.old))
        _ = Self.takeLog()
        #expect(Configuration("published: \(self.folder.path(of: "none.json"))") == nil)
        #expect(Self.takeLog().contains("there is no such file or folder"))
        #expect(
            Configuration("published: \(self.publishedPath)\nrules: \(self.publishedPath)") == nil
        )
        #expect(Self.takeLog().contains("write 'rules: PATH'"))
        #expect(Configuration("rules: \(self.publishedPath)") == nil)
        #expect(Self.takeLog().contains("unknown key"))
    }
}
