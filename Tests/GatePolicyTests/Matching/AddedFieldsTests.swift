import Testing

@testable import GatePolicy

struct AddedFieldsTests {
    private static let lines: [(line: String, fields: [String])] = [
        ("1.2", []), ("1.2 (3)", ["x-app-build: 3"]), ("ios/1.2", ["x-app-platform: ios"]),
        ("1.2+34", ["x-app-build: 34"]), ("1.2+0", ["x-app-build: 0"]),
        ("1.2/34", ["x-app-build: 34"]), ("v1.2 (3)", ["x-app-build: 3"]),
        (" 1.2 ( 3 )", ["x-app-build: 3"]), ("1.2 (3.4)", ["x-app-build: 3.4"]),
        ("1.2+3.4", ["x-app-build: 3.4"]), ("1.2+a", []),
        ("1.2 (12345678901234567890)", ["x-app-build: 12345678901234567890"]),
        ("  ios/1.2 (34)\t", ["x-app-platform: ios", "x-app-build: 34"]),
        (" ios / 1.2 (34)", ["x-app-platform: ios", "x-app-build: 34"]),
        // These values are not in canonical form.
        (" iPhone/1.2 (007)", ["x-app-platform: ios", "x-app-build: 7"]),
        ("1.2+034", ["x-app-build: 34"]), (" IOS/v1.2", ["x-app-platform: ios"]),
        (" 1.3, 1.2", ["x-app-version: 1.2"]),
    ]

    @Test(arguments: lines)
    func `a version line yields the fields that are added for the backend`(
        _ sample: (line: String, fields: [String])
    ) throws {
        let ruleSet = RuleSet(RuleSetDefinition(revision: "1"))
        let classes = try #require(ruleSet.clientClasses)
        let names = ruleSet.identityHeaderNames
        let index = try #require(names.firstIndex { $0.lowercased() == "x-app-version" })
        var key: [UInt8] = []
        var told = ClientClasses.Told()
        let line = Array(sample.line.utf8)
        try #require(classes.tell(header: index, line.span, to: &key, &told))
        let added = classes.fields(added: told, inVersion: 0..<line.count, of: line.span)
        func texts(_ fields: [HeaderField]) -> [String] {
            fields.map { "\($0.name.lowercased()): \($0.value)" }
        }
        #expect(texts(added?.fields(in: line.span) ?? []) == sample.fields)
        // In a head, the line follows other lines.
        let head = Array("Host: a\r\n".utf8) + line
        let place = head.count - line.count..<head.count
        let moved = classes.fields(added: told, inVersion: place, of: head.span)
        #expect(texts(moved?.fields(in: head.span) ?? []) == sample.fields)
        let size = sample.fields.reduce(0) { $0 + $1.utf8.count + 2 }
        #expect(moved?.byteCount ?? 0 == size)
    }
}
