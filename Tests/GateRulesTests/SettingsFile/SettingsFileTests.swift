import GateRules
import GateTestSupport
import Testing

/// The settings in a file, and the errors for invalid ones.
struct SettingsFileTests {
    private func read(_ text: String) throws -> [String] {
        let folder = try TestFolder()
        try folder.write(text, to: "gate.yaml")
        let path = folder.path(of: "gate.yaml")
        do {
            return try SettingsFile(path: path).entries.map { "\($0.key)=\($0.text)" }
        } catch {
            return ["\(error)".replacing(path, with: "gate.yaml")]
        }
    }

    @Test(arguments: [
        ("threads: 2\naccessLog: true\n", ["threads=2", "accessLog=true"]),
        (#"{"threads": 2, "upstream": ["a", "b"]}"#, ["threads=2", "upstream=a,b"]),
        ("stateDir:\nlisten: '[::1]:80'\n", ["stateDir=", "listen=[::1]:80"]),
        ("one: &a x\ntwo: *a\n", ["one=x", "two=x"]),
        ("", ["gate.yaml:1:1: the file is empty"]),
        ("- threads\n", ["gate.yaml:1:1: expected settings, found a list"]),
        ("a: 1\na: 2\n", ["gate.yaml:2:1: the key 'a' already appears on line 1"]),
        (
            "tls: { key: a }\n",
            ["gate.yaml:1:6: 'tls': expected a string or a list of strings, found a mapping"]
        ),
        (
            "a: [[b]]\n",
            ["gate.yaml:1:5: 'a': expected a string or a list of strings, found a list"]
        ),
    ])
    func `a settings file is parsed or rejected with its errors`(
        _ text: String,
        _ expected: [String]
    ) throws {
        #expect(try self.read(text) == expected)
    }
}
