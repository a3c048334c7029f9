import Foundation
import GatePolicy
import GateRules
import GateTestSupport
import RulesTestSupport
import Testing

@testable import GateRecords

/// The texts of previously active rules.
@Suite(.ownThread)
struct RulesArchiveTests {
    private static func rules(_ number: Int, padding: Int = 0) throws -> LoadedRules {
        let text = "# \(number) \(String(repeating: "x", count: padding))\nrules: []\n"
        return try RulesFileLoader.load(sources: [("a.yaml", text), ("b.yaml", "rules: []\n")])
    }

    private let log = LogRecorder()

    @Test func `texts are restored by revision, also after a restart`() throws {
        let folder = try TestFolder()
        let state = StateFolder(path: folder.path(of: "state"))
        let rules = try Self.rules(1)
        try RulesArchive(in: state, logger: self.log.logger).keep(rules)
        let archive = try RulesArchive(in: state, logger: self.log.logger)
        #expect(archive.isKept)
        let path = state.path + "/" + RulesArchive.fileName
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let texts = try #require(try archive.texts(of: rules.definition.revision))
        #expect(texts == RulesTexts(rules))
        #expect(try archive.files(of: rules.definition.revision) == rules.filesRevision)
        #expect(try archive.texts(of: "nothing") == nil)
    }

    @Test func `the last texts are kept, and a restored one is the last`() throws {
        let archive = try RulesArchive(in: nil, logger: self.log.logger)
        #expect(!archive.isKept)
        let first = try Self.rules(0)
        archive.keep(first)
        for number in 1..<RulesArchive.mostTexts { archive.keep(try Self.rules(number)) }
        archive.keep(first)
        #expect(try archive.revision(before: first.filesRevision) != first.definition.revision)
        archive.keep(try Self.rules(1_000))
        let second = try Self.rules(1)
        #expect(try archive.texts(of: second.definition.revision) == nil)
        #expect(try archive.texts(of: first.definition.revision) != nil)
        let asked = [first, second].map(\.definition.revision)
        #expect(try archive.others(of: asked, than: "x") == [asked[0]])
        #expect(try archive.others(of: asked, than: first.filesRevision) == [])
    }

    @Test func `large texts displace others, but never the previous one`() throws {
        let archive = try RulesArchive(in: nil, logger: self.log.logger)
        let large = try (1...12).map { try Self.rules($0, padding: 4_000_000) }
        for rules in large { archive.keep(rules) }
        let kept = try large.filter { try archive.texts(of: $0.definition.revision) != nil }
        #expect(kept.count == 8)
        #expect(kept.last?.definition.revision == large.last?.definition.revision)
    }
}
