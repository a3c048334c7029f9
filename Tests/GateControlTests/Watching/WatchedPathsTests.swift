import GateTestSupport
import Testing

@testable import GateControl

struct WatchedPathsTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private func names(_ name: String, in places: WatchedPaths) -> Set<String> {
        let path = name.isEmpty ? self.folder.path : self.folder.path(of: name)
        return places.folders[path]?.names ?? []
    }

    @Test(arguments: [true, false])
    func `a file is watched by name, whether it exists or not`(_ exists: Bool) throws {
        if exists { try self.folder.write("a", to: "rules.yaml") }
        let places = WatchedPaths(path: self.folder.path(of: "rules.yaml"))
        #expect(places.folders.count == 1)
        #expect(self.names("", in: places) == ["rules.yaml"])
    }

    @Test func `each link in the path is watched, and so is its target`() throws {
        try self.folder.makeFolder("..2026_01")
        try self.folder.write("a", to: "..2026_01/rules.yaml")
        try self.folder.link("..data", to: "..2026_01")
        try self.folder.link("rules.yaml", to: "..data/rules.yaml")
        let places = WatchedPaths(path: self.folder.path(of: "rules.yaml"))
        #expect(places.folders.count == 2)
        #expect(self.names("", in: places) == ["rules.yaml", "..data"])
        #expect(self.names("..2026_01", in: places) == ["rules.yaml"])
    }

    @Test func `a dangling link is watched with its target`() throws {
        try self.folder.link("rules.yaml", to: "..data/rules.yaml")
        let places = WatchedPaths(path: self.folder.path(of: "rules.yaml"))
        #expect(self.names("", in: places) == ["rules.yaml"])
        #expect(self.names("..data", in: places) == ["rules.yaml"])
    }

    @Test func `a folder is watched for the names of rules files`() throws {
        try self.folder.makeFolder("rules")
        try self.folder.makeFolder("shared")
        try self.folder.write("a", to: "shared/20.yaml")
        try self.folder.link("rules/20.yaml", to: "../shared/20.yaml")
        let path = self.folder.path(of: "rules")
        let places = WatchedPaths(path: path)
        #expect(self.names("", in: places) == ["rules"])
        let names = try #require(places.folders[path])
        for name in ["10.yaml", "20.yaml", "new.json", "..data"] {
            #expect(names.contains(name))
        }
        for name in [".10.yaml.swp", "10.yaml~", "gate.log", "rules.schema.json", "4913"] {
            #expect(!names.contains(name))
        }
        #expect(self.names("rules/../shared", in: places) == ["20.yaml"])
    }

    @Test func `circular links terminate`() throws {
        try self.folder.link("rules.yaml", to: "other.yaml")
        try self.folder.link("other.yaml", to: "rules.yaml")
        let places = WatchedPaths(path: self.folder.path(of: "rules.yaml"))
        #expect(self.names("", in: places) == ["rules.yaml", "other.yaml"])
    }
}
