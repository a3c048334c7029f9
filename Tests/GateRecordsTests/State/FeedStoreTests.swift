import GateRules
import GateTestSupport
import Testing

@testable import GateRecords

struct FeedStoreTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private func entry(_ document: String = "rules: []\n") -> FeedStore.Entry {
        FeedStore.Entry(
            FeedContribution(
                fingerprint: "f",
                value: FeedValue(document: document, memory: ["etag": "\"x\""]),
                earlier: [FeedValue(document: "rules: [] # before")]
            ),
            confirmedAt: 1000
        )
    }

    @Test func `a stored value is restored after a restart`() throws {
        let path = self.folder.path(of: "state")
        try FeedStore(StateFolder(path: path)).save(self.entry("メンテ: \u{1}"), of: "a.b")
        try FeedStore(StateFolder(path: path)).save(self.entry(), of: "c")
        try FeedStore(StateFolder(path: path)).save(self.entry("rules: [] # new"), of: "c")
        let entries = FeedStore(StateFolder(path: path)).entries { Issue.record("\($0)") }
        #expect(entries == ["a.b": self.entry("メンテ: \u{1}"), "c": self.entry("rules: [] # new")])
    }

    @Test func `an invalid file is reported and left out`() throws {
        let store = FeedStore(StateFolder(path: self.folder.path))
        try store.save(self.entry(), of: "good")
        try self.folder.write("{\"fingerprint\":", to: "cut.feed.json")
        try self.folder.write("{}", to: "empty.feed.json")
        try self.folder.write("x", to: ".good.feed.json.new")
        try self.folder.write("x", to: "other.txt")
        var told: [String] = []
        let entries = store.entries { told.append($0) }
        #expect(entries.keys.sorted() == ["good"])
        #expect(told.count == 2)
    }

    @Test func `an unusable folder has a reason, and existing values are still read`()
        throws
    {
        #expect(StateFolder(path: self.folder.path(of: "a/b")).problem != nil)
        try self.folder.write("", to: "file")
        let folder = StateFolder(path: self.folder.path(of: "file/x"))
        #expect(folder.problem != nil)
        #expect(FeedStore(folder).contributions { Issue.record("\($0)") }.isEmpty)
        #expect(throws: StateFolder.Failure.self) {
            try FeedStore(folder).save(self.entry(), of: "a")
        }
    }
}
