import Foundation
import GatePolicy
import GateRules
import GateTestSupport
import MutatedRules
import RulesTestSupport
import Testing

/// Generated mistakes in the shipped rules files, loaded into a running gate.
///
/// None of them locks out a group of allowed clients, and none allows a denied group without a finding.
///
/// The test checks the gate's responses for a sample of the mutations, or for all with `GATE_ALL_MUTATIONS`.
/// `MutationTests` checks thousands of mutations without the executable.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(20)))
struct RunningMutationTests {
    private static let perFile =
        ProcessInfo.processInfo.environment["GATE_ALL_MUTATIONS"] == nil ? 6 : Int.max
    /// The maximum number of clients per rule.
    private static let clientLimit = 24
    /// Findings that report that denied clients are now allowed.
    private static let loud: Set = [
        "laxer", "identity-changed", "observing", "open-gate", "plan-opens",
    ]

    /// Whether the loopback is the only interface in the tests' network namespace.
    private static let isAlone =
        (try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8)
            .split(separator: "\n").compactMap { $0.wholeMatch(of: /\s*(\S+):.*/)?.1 } == ["lo"])
        ?? false
    /// The files that name no remote host.
    ///
    /// Without network access, these are all files.
    private static let files = ShippedRules.files.filter { file in
        guard !Self.isAlone, let text = try? file.text() else { return true }
        return !text.contains("\nfeeds:") && !text.hasPrefix("feeds:")
    }

    private struct Report: Decodable {
        struct Item: Decodable {
            var name: String
        }

        var lastReloadSuccessful: Bool
        var errors: [String]?
        var refusals: [Item]?
        var findings: [Item]

        var words: String {
            let names = (self.lastReloadSuccessful ? self.findings : self.refusals ?? [])
                .map(\.name).sorted().joined(separator: ", ")
            let outcome =
                self.lastReloadSuccessful
                ? "loaded" : self.refusals == nil ? "unreadable" : "refused"
            return names.isEmpty ? outcome : "\(outcome): \(names)"
        }
    }

    /// The requests from one rule's clients.
    private struct Group {
        let rule: String
        let requests: [String]
        /// Whether the file contains the existing versions.
        let isKnowable: Bool
    }

    @Test func `only the files with feeds are left out`() {
        // Six examples have feeds. They are included under `unshare --net` with the loopback interface up.
        #expect(Self.files.count == ShippedRules.files.count - (Self.isAlone ? 0 : 6))
    }

    @Test(arguments: files)
    func `no mistake locks a group out or opens the gate without a finding`(file: ShippedRules)
        async throws
    {
        let text = try file.text()
        let mutations = Mutation.sample(Self.perFile, of: Mutation.all(of: text))
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let place = try Self.lay(file, into: folder)
        try await Scene.play(in: folder, flags: [.adminListen()]) { scene in
            let groups = try Self.groups(of: file)
            var said: [String] = []
            for mutation in mutations {
                let before = try groups.map { try self.statuses($0, scene) }
                let report = try self.load(mutation.text, place, scene)
                let after = try groups.map { try self.statuses($0, scene) }
                said.append("\(mutation.words): \(report.words)")
                for (index, group) in groups.enumerated() {
                    self.expect(before[index], after[index], group, report, mutation.words)
                }
                let restored = try self.load(text, place, scene)
                try #require(restored.lastReloadSuccessful, "\(mutation.words): \(restored)")
            }
            Attachment.record(said.joined(separator: "\n"), named: "\(file.description).txt")
        }
    }

    private func expect(
        _ before: [Int],
        _ after: [Int],
        _ group: Group,
        _ report: Report,
        _ words: String
    ) {
        let pairs = zip(before, after)
        let passed = pairs.filter { $0.0 != 426 }
        if group.isKnowable, !passed.isEmpty {
            let isLockedOut = passed.allSatisfy { $0.1 == 426 }
            #expect(!isLockedOut, "'\(group.rule)' is locked out by \(words): \(report.words)")
        }
        if pairs.contains(where: { $0.0 == 426 && $0.1 != 426 }) {
            let isSaid = !Self.loud.isDisjoint(with: report.findings.map(\.name))
            #expect(isSaid, "'\(group.rule)' is opened by \(words): \(report.words)")
        }
        if !report.lastReloadSuccessful {
            #expect(before == after, "\(words): \(report.words)")
        }
    }

    /// Writes a file and those that belong to it to the gate's rules path.
    ///
    /// - Returns: The path of the file.
    private static func lay(_ file: ShippedRules, into folder: TemporaryFolder) throws -> String {
        let sources = try file.sources(with: file.text())
        guard file.isOfFolder else {
            try folder.writeInPlace(sources[0].text, to: "rules.yaml")
            return "rules.yaml"
        }
        try folder.makeFolder("rules.yaml")
        for source in sources {
            try folder.writeInPlace(source.text, to: "rules.yaml/\(source.name)")
        }
        return "rules.yaml/\(file.description)"
    }

    private func load(_ text: String, _ place: String, _ scene: Scene) throws -> Report {
        try scene.folder.replace(place, with: text)
        return try scene.askAdmin("POST", "/-/reload", body: "")
            .json()
    }

    private func statuses(_ group: Group, _ scene: Scene) throws -> [Int] {
        let client = try scene.connect()
        return try group.requests.map { request in
            try client.send(request)
            return try client.response().status
        }
    }

    /// Returns the clients of each rule, up to the newest version named in the file, and the clients in the file's
    /// tests.
    private static func groups(of file: ShippedRules) throws -> [Group] {
        let now = Timestamp(secondsSinceEpoch: Int64(Date.now.timeIntervalSince1970))
        let sources = try file.sources(with: file.text())
        let rules = try RulesFileLoader.load(sources: sources, now: { now }).ruleSet
        let tests = rules.definition.tests.filter { $0.at == nil && $0.address == nil }.map {
            test in
            let fields = test.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
            return Request.text(
                test.method == "HEAD" ? "GET" : test.method,
                test.path,
                fields: fields
            )
        }
        let tested = Group(rule: "the tests of the file", requests: tests, isKnowable: true)
        // With custom identity fields, the requests would depend on the file's mapping.
        guard rules.definition.identity == .defaults else { return [tested] }
        let crowds = MutationClients(rules, rules, at: now).crowds.map { crowd in
            let clients = crowd.clients.filter { client in
                guard let newest = crowd.version else { return true }
                return client.identity.version.value.map { $0 <= newest } ?? true
            }
            return Group(
                rule: crowd.rule.id,
                requests: clients.prefix(Self.clientLimit).map(Self.request),
                isKnowable: crowd.version != nil
                    && clients.count <= Self.clientLimit
                    && !crowd.rule.withNext.contains { $0.minimumBuild != nil }
            )
        }
        return [tested] + crowds
    }

    private static func request(_ client: MutationClients.Client) -> String {
        let identity = client.identity
        let values = [
            ("X-App-Id", identity.app.value), ("X-App-Platform", identity.platform.value?.name),
            ("X-App-Version", identity.version.value?.description),
            ("X-App-Build", identity.build.value.map(String.init)),
            ("X-App-Channel", identity.channel.value),
            ("X-OS-Version", identity.osVersion.value?.description),
        ]
        let fields = values.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        return Request.text(client.method, client.target, fields: fields.joined())
    }
}
