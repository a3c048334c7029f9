import Foundation
import GateTestSupport
import Glibc
import RulesTestSupport
import Testing

@testable import GateRecords
@testable import GateRules

/// The file with the rules for the module in Envoy.
@Suite(.ownThread)
struct RulesPublisherTests {
    private let folder: TestFolder
    private let log = LogRecorder()

    init() throws {
        self.folder = try TestFolder()
    }

    private var path: String { self.folder.path(of: "published/rules.json") }

    private func publisher(
        _ name: String = "published/rules.json",
        rules: String = "rules.yaml"
    ) throws -> RulesPublisher {
        try RulesPublisher(
            path: self.folder.path(of: name),
            besides: self.folder.path(of: rules),
            logger: self.log.logger
        )
    }

    private static func rules(_ floor: String) throws -> PublishedRules {
        let text = "rules: [{ id: a, minimum: '\(floor)', storeUrl: 'https://a.example' }]\n"
        let rules = try RulesFileLoader.load(sources: [("rules.yaml", text)])
        return PublishedRules(rules, acting: rules.ruleSet, [:])
    }

    /// The time limit for the publisher's next look at the file.
    ///
    /// It is a task of the shared thread pool, which the tests of other suites can occupy for many seconds.
    private static var nextLook: Deadline { .after(.seconds(90)) }

    private var revision: String? { try? PublishedRules(path: self.path).revision }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `the file has the last rules, and keeps its permissions`() async throws {
        try self.folder.makeFolder("published")
        let publisher = try self.publisher()
        #expect(publisher.isCurrent == nil)
        await publisher.publish(try Self.rules("1"))
        #expect(publisher.isCurrent == true)
        #expect(self.mode(self.path) == 0o644)
        #expect(unsafe chmod(self.path, 0o640) == 0)
        let next = try Self.rules("2")
        await publisher.publish(next)
        #expect(self.revision == next.revision)
        #expect(self.mode(self.path) == 0o640)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: self.folder.path(of: "published")
        )
        #expect(names.sorted() == [".rules.json.lock", "rules.json"])
    }

    @Test func `a failed write is reported once, and repeated until it succeeds`() async throws {
        try self.folder.makeFolder("published")
        let publisher = try self.publisher()
        try self.folder.rename("published", to: "away")
        await publisher.publish(try Self.rules("1"))
        let last = try Self.rules("2")
        await publisher.publish(last)
        #expect(publisher.isCurrent == false)
        let message = "error the rules cannot be published: modules keep the previous rules"
        #expect(self.log.lines.filter { $0 == message }.count == 1)
        try self.folder.rename("away", to: "published")
        try await self.log.says("notice the rules can be published again", by: Self.nextLook)
        #expect(publisher.isCurrent == true)
        #expect(self.revision == last.revision)
    }

    @Test func `a file that is gone or has other content is written again`() async throws {
        try self.folder.makeFolder("published")
        let publisher = try self.publisher()
        let rules = try Self.rules("1")
        await publisher.publish(rules)
        try self.folder.remove("published/rules.json")
        await publisher.publish(rules)
        #expect(self.revision == rules.revision)
        let foreign = try Self.rules("2").json
        try self.folder.replace(
            "published/rules.json",
            with: String(decoding: foreign, as: UTF8.self)
        )
        try Self.nextLook.poll("the file") { self.revision == rules.revision ? true : nil }
        try self.folder.remove("published/rules.json")
        try Self.nextLook.poll("the file") { self.revision == rules.revision ? true : nil }
    }

    @Test func `what a killed gate has left is removed`() async throws {
        try self.folder.makeFolder("published")
        try self.folder.write("{", to: "published/.rules.json.new")
        let rules = try Self.rules("1")
        await (try self.publisher()).publish(rules)
        #expect(self.revision == rules.revision)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: self.folder.path(of: "published")
        )
        #expect(!names.contains(".rules.json.new"))
    }

    @Test func `a link to a missing file is rejected, and not replaced`() throws {
        try self.folder.makeFolder("published")
        #expect(unsafe symlink("/nowhere/rules.json", self.path) == 0)
        #expect(throws: RulesPublisher.Failure.self) { try self.publisher() }
        var status = stat()
        #expect(unsafe lstat(self.path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func `of two gates, the first one writes until it drains`() async throws {
        try self.folder.makeFolder("published")
        let first = try self.publisher()
        let rules = try Self.rules("1")
        await first.publish(rules)
        let second = try self.publisher()
        let next = try Self.rules("2")
        await second.publish(next)
        #expect(second.isCurrent == false)
        #expect(self.revision == rules.revision)
        first.stop()
        try Self.nextLook.poll("the file") { self.revision == next.revision ? true : nil }
        await first.publish(try Self.rules("3"))
        #expect(self.revision == next.revision)
    }

    @Test func `a gate that drains leaves the file to its successor`() async throws {
        try self.folder.makeFolder("published")
        let publisher = try self.publisher()
        let rules = try Self.rules("1")
        await publisher.publish(rules)
        publisher.stop()
        await publisher.publish(try Self.rules("2"))
        #expect(self.revision == rules.revision)
    }

    @Test func `the file of a symbolic link is replaced, not the link`() async throws {
        try self.folder.makeFolder("published")
        try self.folder.write("", to: "published/rules.json")
        #expect(unsafe symlink(self.path, self.folder.path(of: "link")) == 0)
        let rules = try Self.rules("1")
        let publisher = try self.publisher("link")
        await publisher.publish(rules)
        #expect(self.revision == rules.revision)
    }

    @Test(arguments: [
        ("none/rules.json", "there is no directory"), ("rules.yaml", "it is not replaced"),
        ("rules/new.json", "the directory contains the rules"),
        ("rules", "this is the path of the rules"),
        ("published/", "there is no directory"),
    ])
    func `a wrong path is refused with the reason`(name: String, reason: String) throws {
        try self.folder.makeFolder("rules")
        try self.folder.write("rules: []\n", to: "rules.yaml")
        let failure = #expect(throws: RulesPublisher.Failure.self) {
            try self.publisher(name, rules: "rules")
        }
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }
}
