import Testing

@testable import GatePolicy

@Suite struct LenientPathTests {
    static func readings(_ path: String) -> [String] {
        var readings: [String] = []
        LenientPath(Array(path.utf8))?.forEachReading {
            readings.append(String(decoding: $0, as: UTF8.self))
        }
        return readings
    }

    static let single = [
        ("/", "/"), ("/A/b", "/a/b"), ("/a%20B", "/a b"), ("/%41%c3%89", "/aÉ"), ("/a%zz", "/a%zz"),
        ("/a/", "/a/"), ("/.well-known", "/.well-known"),
    ]

    @Test(arguments: single)
    func `an ordinary path has one interpretation`(path: String, reading: String) {
        #expect(Self.readings(path) == [reading])
    }

    static let several: [(String, Set<String>)] = [
        ("/a%2Fb", ["/a%2fb", "/a/b"]),
        ("/a\\b", ["/a\\b", "/a/b"]),
        ("/a;x/b", ["/a;x/b", "/a/b"]),
        ("/a//b", ["/a//b", "/a/b"]),
        ("/a/./b", ["/a/./b", "/a/b"]),
        ("/a/../b", ["/a/../b", "/b"]),
        ("/../../a", ["/../../a", "/a"]),
        ("/a#b", ["/a#b", "/a"]),
        ("/a%00.png", ["/a\0.png", "/a"]),
        ("/a/x/..%00b", ["/a/x/..\0b", "/a/x/..", "/a"]),
        ("/a/.#/b", ["/a/.#/b", "/a/.", "/a"]),
        ("/x/..;/a", ["/x/..;/a", "/x/../a", "/a"]),
        ("/a//../b", ["/a//../b", "/a/../b", "/a/b", "/b"]),
        ("/x/..%2fa", ["/x/..%2fa", "/x/../a", "/a"]),
        // An encoded slash is a slash, but an encoded backslash is not a slash. A raw parameter is
        // not part of the path, but an encoded one is part of the segment's name. A fragment ends
        // the path, but an encoded `#` does not.
        (
            "/x%5cy/..%2fa",
            ["/x\\y/..%2fa", "/x\\y/../a", "/a", "/x/y/..%2fa", "/x/y/../a", "/x/a"]
        ),
        (
            "/..%3bx/.;y",
            ["/..;x/.;y", "/..;x/.", "/..;x", "/../.", ""]
        ),
        ("/x%23/../a#b", ["/x#/../a#b", "/a#b", "/x#/../a", "/a", "/x"]),
        // Dot segments are resolved before decoding, and decoded dots are not resolved again.
        ("/./a%2f..", ["/./a%2f..", "/./a/..", "/a%2f..", "/a/..", ""]),
        ("/a%252fb", ["/a%2fb"]),
    ]

    @Test(arguments: several)
    func `all interpretations of a path by backends are returned`(
        path: String,
        readings: Set<String>
    ) {
        #expect(Set(Self.readings(path)) == readings)
    }

    @Test(arguments: [
        ("/a%20b", ["/a%20b"]), ("/%2570ay", ["/%2570ay", "/%70ay"]),
        ("/%252e%252e/a", ["/%252e%252e/a", "/%2e%2e/a"]), ("/a%25", ["/a%25", "/a%"]),
        ("/%25%37%30ay", ["/%25%37%30ay", "/%70ay"]), ("/%257%30ay", ["/%257%30ay", "/%70ay"]),
        ("/%%37%30ay", ["/%%37%30ay", "/%70ay"]), ("/%61%2f%70", ["/%61%2f%70"]),
    ])
    func `a path with an encoded percent sign has a second spelling`(
        path: String,
        spellings: [String]
    ) {
        let read = LenientPath.spellings(of: Array(path.utf8))
        #expect(read.map { String(decoding: $0, as: UTF8.self) } == spellings)
    }

    @Test func `a path with too many interpretations is not parsed`() {
        #expect(LenientPath(Array("/;%2f\\..//%00#./".utf8)) == nil)
        let odd = "/a;b%2f../"
        #expect(Self.readings(odd).count == 24)
        #expect(LenientPath(Array(String(repeating: odd, count: 150).utf8)) == nil)
        let link = "/resize/https%3A%2F%2Fcdn.example%2F" + String(repeating: "a%2Fb", count: 1000)
        #expect(Self.readings(link).count == 6)
        #expect(Self.readings("/" + String(repeating: "%20", count: 100_000)).count == 1)
    }
}
