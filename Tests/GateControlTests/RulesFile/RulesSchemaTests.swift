import Foundation
import Testing

@testable import GateControl

/// The JSON Schema and the loader must not contradict each other: what an editor underlines, the
/// loader refuses, and what the loader refuses, an editor underlines wherever a schema can see it.
struct RulesSchemaTests {
    /// Asks a JSON Schema validator about texts; each answer is `nil` or the first error.
    ///
    /// One process for all texts: starting it costs more than the judging. It needs Python with
    /// `jsonschema` and `yaml`, which `make test` installs.
    private func verdicts(_ texts: [String]) throws -> [String?] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = Project.tests.appending(path: "Schema/validate.py").path
        process.arguments = ["python3", script, Project.schema.path]
        let folder = try TemporaryFolder()
        try JSONEncoder().encode(texts).write(to: URL(filePath: folder.path(of: "texts.json")))
        process.standardInput = FileHandle(forReadingAtPath: folder.path(of: "texts.json"))
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "python3 needs jsonschema and yaml")
        return try JSONDecoder().decode([String?].self, from: data)
    }

    @Test func `the schema accepts every shipped file`() throws {
        let files = ShippedRules.files
        let verdicts = try self.verdicts(try files.map { try $0.text() })
        for (file, verdict) in zip(files, verdicts) {
            #expect(verdict == nil, "\(file.testDescription)")
        }
    }

    @Test func `the schema refuses every broken file whose error it can see`() throws {
        let broken = BrokenRules.readable
        let verdicts = try self.verdicts(broken.map(\.text))
        for (broken, verdict) in zip(broken, verdicts) {
            let isSeen = broken.reasonForSchema == nil
            #expect((verdict != nil) == isSeen, "\(broken.name): \(verdict ?? "accepted")")
        }
    }

    @Test func `the schema knows the keys that the loader knows`() throws {
        let schema = try JSONDecoder().decode(
            SchemaNode.self,
            from: try Data(contentsOf: Project.schema)
        )
        func keys(_ definition: String) -> [String] {
            schema.definitions?[definition]?.properties?.keys.sorted() ?? []
        }
        #expect(schema.properties?.keys.sorted() == DocumentDecoder.keys.sorted())
        #expect(keys("rule") == RuleDecoder.keys.sorted())
        #expect(keys("match") == MatchDecoder.keys.sorted())
        #expect(keys("identity") == IdentityDecoder.keys.sorted())
        #expect(keys("unidentified") == UnidentifiedDecoder.keys.sorted())
    }
}

/// The part of a JSON Schema that the tests look at.
private struct SchemaNode: Decodable {
    struct Property: Decodable {}

    let properties: [String: Property]?
    let definitions: [String: SchemaNode]?
}
