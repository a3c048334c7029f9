import Testing

@testable import GatePolicy

@Suite struct ExactPathTests {
    static let normalised = [
        ("/", "/"), ("/a/b", "/a/b"), ("/a/", "/a/"), ("/A/b", "/A/b"),
        ("/%61%2D%7e", "/a-~"), ("/a%3f%2a", "/a%3F%2A"), ("/./a/./b", "/a/b"), ("/a/.", "/a/"),
        ("/%2e/a", "/a"), ("/.well-known", "/.well-known"),
        ("/..a", "/..a"), ("/.a%20", "/.a%20"), ("/a..%20", "/a..%20"),
        ("/ä/ö。", "/%C3%A4/%C3%B6%E3%80%82"),
        ("/日", "/%E6%97%A5"), ("/%e6%97%a5", "/%E6%97%A5"),
        ("/a:b@c,d=e!$&'()*+", "/a:b@c,d=e!$&'()*+"),
    ]

    @Test(arguments: normalised)
    func `a path is normalized to one spelling`(path: String, spelling: String) throws {
        let exact = try #require(ExactPath(Array(path.utf8)))
        #expect(String(decoding: exact.bytes, as: UTF8.self) == spelling)
    }

    @Test(arguments: [
        "", "*", "a", "//", "/a//b", "//a", "/a//", "/a/../b", "/..", "/a/%2e%2E", "/.%2e/a",
        "/a/./../b",
        "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b", "/a;b", "/a%3Bb", "/a#b", "/a%00", "/a\0", "/a%0a",
        "/a%", "/a%4", "/a%zz", "/a%252fb", "/a%25", "/a\u{7F}", "/a%7f", "%2fa",
        "/..%20/a", "/..%20", "/...", "/.%20", "/.%20./a", "/a/....", "/..%20%20/a",
        "/%c0%ae%c0%ae/a", "/%e0%80%ae/a", "/%ef%bc%8e%ef%bc%8e/a", "/．．/a", "/a%ef%bc%8fb", "/a／b",
        "/a%c0%afb", "/a%80b", "/a%c3/%a9", "/a%ed%a0%80", "/a℀b", "/a‥/b", "/a；b", "/a%ef%bc%85",
    ])
    func `a path that backends interpret differently has no exact form`(path: String) {
        #expect(ExactPath(Array(path.utf8)) == nil)
    }
}
