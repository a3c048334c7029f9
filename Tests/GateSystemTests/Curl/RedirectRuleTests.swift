import GatePolicy
import Testing

@testable import GateSystem

struct RedirectRuleTests {
    private static let secret = Credential.bearer("hunter2")

    private func request(_ url: String = "https://db.example.com/a?ns=x") throws -> FetchRequest {
        FetchRequest(
            try FetchURL(parsing: url),
            fields: [HeaderField(name: "Accept", value: "text/event-stream")],
            credential: Self.secret,
            redirects: RedirectRule(
                hosts: [try #require(HostPattern("cdn.example.net"))],
                trustedHosts: [try #require(HostPattern(".example.com"))]
            )
        )
    }

    private func next(_ location: String, status: Int = 307) throws -> FetchRequest {
        let request = try self.request()
        let head = ResponseHead(
            status: status,
            fields: [HeaderField(name: "location", value: location)]
        )
        #expect(RedirectRule.isRedirect(head))
        return try request.redirects.next(after: request, first: request, head)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a trusted host gets the credential`(status: Int) throws {
        let next = try self.next("https://s1.example.com/b?ns=y", status: status)
        #expect(next.url.text == "https://s1.example.com/b?ns=y")
        #expect(next.credential == Self.secret)
        #expect(next.fields == (try self.request()).fields)
    }

    @Test func `a known but untrusted host does not get the credential`() throws {
        let next = try self.next("https://cdn.example.net/b")
        #expect(next.credential == nil)
    }

    @Test func `the credential is sent again to the origin`() throws {
        let first = try self.request()
        var hop = try self.next("https://cdn.example.net/b")
        let head = ResponseHead(
            status: 302,
            fields: [HeaderField(name: "Location", value: "https://db.example.com/c")]
        )
        hop = try hop.redirects.next(after: hop, first: first, head)
        #expect(hop.credential == Self.secret)
    }

    @Test(arguments: [
        "https://example.org/", "https://example.com/", "https://evil-example.com/",
        "https://cdn.example.net.evil.org/", "https://a.cdn.example.net/",
    ])
    func `a redirect to another host is refused with an error that names it`(location: String)
        throws
    {
        let host = try FetchURL(parsing: location).host
        #expect(throws: FetchFailure.refusedRedirect(host: host, nil)) {
            try self.next(location)
        }
    }

    @Test(arguments: [
        ("http://db.example.com/", FetchURL.Failure.plainText),
        ("ftp://db.example.com/", .unsupportedScheme),
        ("https://user:pw@db.example.com/", .credentials),
    ])
    func `a redirect never leaves TLS`(location: String, failure: FetchURL.Failure) {
        #expect(throws: FetchFailure.refusedRedirect(host: nil, failure)) {
            try self.next(location)
        }
    }

    @Test func `a different port on the same host is a different origin`() throws {
        var request = try self.request("https://localhost:1/")
        request.redirects = .sameOrigin
        let head = ResponseHead(
            status: 302,
            fields: [HeaderField(name: "Location", value: "https://localhost:2/")]
        )
        #expect(throws: FetchFailure.refusedRedirect(host: "localhost", nil)) {
            try request.redirects.next(after: request, first: request, head)
        }
    }

    @Test func `a posted body is not redirected`() throws {
        var request = try self.request()
        request.method = .post(body: [1], type: "text/plain")
        let head = ResponseHead(
            status: 307,
            fields: [HeaderField(name: "Location", value: "https://db.example.com/b")]
        )
        #expect(throws: FetchFailure.unexpectedRedirect(status: 307)) {
            try request.redirects.next(after: request, first: request, head)
        }
    }

    @Test func `a redirect needs a location`() throws {
        let request = try self.request()
        #expect(throws: FetchFailure.unexpectedRedirect(status: 302)) {
            try request.redirects.next(
                after: request,
                first: request,
                ResponseHead(status: 302, fields: [])
            )
        }
    }

    @Test(arguments: ["", ".", ".com", "a b", "*.example.com", "https://x", "x/y", "x:1", "a..b"])
    func `an invalid host is not a pattern`(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test func `no description contains the credential`() throws {
        let request = try self.request()
        let query = Credential.query(name: "auth", value: "hunter2")
        var dumped = ""
        dump(request, to: &dumped)
        dump(query, to: &dumped)
        for text in ["\(request)", String(reflecting: request), "\(query)", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
