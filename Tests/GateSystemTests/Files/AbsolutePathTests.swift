import GateSystem
import Testing

struct AbsolutePathTests {
    @Test(arguments: [
        ("/etc/versiongate/rules.yaml", "/etc/versiongate/rules.yaml"),
        ("/etc//versiongate/./rules/", "/etc/versiongate/rules"),
        ("/etc/versiongate/../other/rules.yaml", "/etc/other/rules.yaml"),
        ("/../..", "/"), ("/", "/"),
    ])
    func `spellings of a path become one path`(path: String, absolute: String) {
        #expect(AbsolutePath.of(path) == absolute)
    }

    @Test func `a relative path starts at the working directory`() {
        let here = AbsolutePath.of("")
        #expect(here.hasPrefix("/"))
        #expect(AbsolutePath.of("rules.yaml") == AbsolutePath.of("./a/../rules.yaml"))
        #expect(AbsolutePath.of("rules.yaml") == here + "/rules.yaml")
        #expect(AbsolutePath.of(here + "/rules.yaml") == AbsolutePath.of("rules.yaml"))
    }
}
