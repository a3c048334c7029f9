import Foundation
import GateTestSupport
import Testing

@testable import GateRecords

struct StateFolderTests {
    private let folder: TestFolder

    init() throws {
        self.folder = try TestFolder()
    }

    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: self.folder.path).sorted()
        }
    }

    @Test func `another gate's temporary file is not changed`() throws {
        let state = StateFolder(path: self.folder.path)
        try self.folder.write("half", to: ".a.1.new")
        try state.replace("a", with: Array("one".utf8))
        try state.replace("a", with: Array("two".utf8))
        #expect(try state.read("a", atMost: 9) == Array("two".utf8))
        #expect(try state.read(".a.1.new", atMost: 9) == Array("half".utf8))
        #expect(try self.names == [".a.1.new", "a"])
    }

    @Test func `a failed replacement leaves no temporary file`() throws {
        let state = StateFolder(path: self.folder.path)
        try self.folder.makeFolder("a")
        #expect(throws: StateFolder.Failure.self) { try state.replace("a", with: [1]) }
        #expect(try self.names == ["a"])
    }
}
