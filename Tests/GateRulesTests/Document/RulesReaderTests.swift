import Foundation
import GateTestSupport
import Testing

@testable import GateRules

struct RulesReaderTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    /// Returns the errors, without the test folder's path.
    private func errors(_ name: String) -> [String] {
        do {
            _ = try RulesReader(path: self.folder.path(of: name)).read()
            return []
        } catch {
            return error.errors.map {
                $0.description.replacing("\(self.folder.path)/", with: "")
            }
        }
    }

    private func names(_ name: String) throws -> [String] {
        try RulesReader(path: self.folder.path(of: name)).read().map { source in
            String(source.name.split(separator: "/").last ?? "")
        }
    }

    @Test func `a missing path is reported`() {
        #expect(self.errors("rules.yaml") == ["rules.yaml:1:1: there is no such file or folder"])
    }

    @Test func `a path through a file is unreadable`() throws {
        try self.folder.write("", to: "file")
        let error = "file/rules.yaml:1:1: cannot be read: Not a directory"
        #expect(self.errors("file/rules.yaml") == [error])
    }

    @Test func `circular symbolic links are unreadable`() throws {
        try self.folder.link("a.yaml", to: "b.yaml")
        try self.folder.link("b.yaml", to: "a.yaml")
        let error = "a.yaml:1:1: cannot be read: Too many levels of symbolic links"
        #expect(self.errors("a.yaml") == [error])
    }

    @Test func `a pipe is rejected without waiting for a writer`() throws {
        try #require(unsafe mkfifo(self.folder.path(of: "pipe.yaml"), 0o600) == 0)
        let error = "pipe.yaml:1:1: this is neither a file nor a folder"
        #expect(self.errors("pipe.yaml") == [error])
    }

    @Test func `a large file is rejected`() throws {
        try self.folder.write("", to: "rules.yaml")
        let path = self.folder.path(of: "rules.yaml")
        let size = off_t(RulesSource.maximumSize + 1)
        try #require(unsafe truncate(path, size) == 0)
        #expect(self.errors("rules.yaml") == ["rules.yaml:1:1: the file is larger than 4 MiB"])
    }

    @Test func `a folder without rules files is reported with the expected names`() throws {
        try self.folder.makeFolder("rules")
        try self.folder.write("", to: "rules/README.md")
        try self.folder.write("", to: "rules/.hidden.yaml")
        let error = "rules:1:1: the folder has no rules files (*.yaml, *.yml, *.json)"
        #expect(self.errors("rules") == [error])
        #expect(self.errors("rules/") == [error])
    }

    @Test func `the files of a folder are loaded in the order of their names`() throws {
        for name in [
            "b.yml", "a.json", "B.yaml", "10.yaml", "9.yaml", ".c.yaml", "d.yaml~", "a.schema.json",
        ] {
            try self.folder.write("", to: name)
        }
        #expect(try self.names("") == ["10.yaml", "9.yaml", "B.yaml", "a.json", "b.yml"])
    }

    @Test func `links of a mounted ConfigMap are followed without loading files twice`() throws {
        try self.folder.makeFolder("..2026_01")
        try self.folder.write("rules: []", to: "..2026_01/rules.yaml")
        try self.folder.link("..data", to: "..2026_01")
        try self.folder.link("rules.yaml", to: "..data/rules.yaml")
        #expect(try self.names("") == ["rules.yaml"])
        #expect(try self.names("rules.yaml") == ["rules.yaml"])
    }

    @Test func `every unreadable file in a folder is reported`() throws {
        try self.folder.write("rules: []", to: "a.yaml")
        try self.folder.makeFolder("b.yaml")
        try self.folder.link("c.yaml", to: "nowhere")
        #expect(
            self.errors(".") == [
                "./b.yaml:1:1: this is a folder",
                "./c.yaml:1:1: there is no such file or folder",
            ]
        )
    }
}
