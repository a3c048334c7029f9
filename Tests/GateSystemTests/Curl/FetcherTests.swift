import GatePolicy
import GateTestSupport
import Testing

@testable import GateSystem

/// Transfers over loopback sockets.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(5)))
struct FetcherTests {
    private let fetcher: Fetcher

    init() throws {
        self.fetcher = try Fetcher()
    }

    private func request(_ backend: ScriptedBackend, _ path: String = "/") throws -> FetchRequest {
        FetchRequest(try FetchURL(parsing: "http://127.0.0.1:\(backend.port)\(path)"))
    }

    @Test func `a response has its status, fields and body`() async throws {
        let backend = try ScriptedBackend { _ in
            [.answer("404 Not Found", fields: "ETag: \"x\"\r\n", body: "nothing here")]
        }
        let response = try await self.fetcher.fetch(try self.request(backend, "/a?b=c"))
        #expect(response.status == 404)
        #expect(response.head["etag"] == "\"x\"")
        #expect(response.body == Array("nothing here".utf8))
        #expect(backend.record.targets == ["/a?b=c"])
    }

    @Test func `a chunked body is decoded`() async throws {
        let backend = try ScriptedBackend { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n"),
                .pause(milliseconds: 20), .send("1\r\nc\r\n0\r\nTrailer: x\r\n\r\n"),
            ]
        }
        let response = try await self.fetcher.fetch(try self.request(backend))
        #expect(response.body == Array("abc".utf8))
    }

    @Test func `a request has its own fields and no others`() async throws {
        let backend = try ScriptedBackend { _ in [.answer()] }
        var request = try self.request(backend, "/x?ns=db")
        request.fields = [
            HeaderField(name: "Accept", value: "application/json"),
            HeaderField(name: "X-Empty", value: ""),
        ]
        request.credential = .query(name: "auth", value: "a&b")
        _ = try await self.fetcher.fetch(request)
        let seen = try #require(backend.record.requests.first)
        #expect(seen.method == "GET")
        #expect(seen.target == "/x?ns=db&auth=a%26b")
        #expect(seen.fields["Accept"] == ["application/json"])
        #expect(seen.fields["X-Empty"] == [""])
        #expect(seen.fields["Authorization"].isEmpty)
        #expect(seen.fields["User-Agent"] == ["versiongate"])
        #expect(seen.fields["Accept-Encoding"].isEmpty)
        #expect(seen.fields.lines.count == 4)
    }

    @Test func `a body is posted with its content type`() async throws {
        let backend = try ScriptedBackend { _ in [.echo] }
        var request = try self.request(backend)
        request.method = .post(
            body: Array("a=b\0c".utf8),
            type: "application/x-www-form-urlencoded"
        )
        _ = try await self.fetcher.fetch(request)
        let exchange = try #require(backend.record.exchanges.first)
        #expect(exchange.request.method == "POST")
        #expect(exchange.body == Array("a=b\0c".utf8))
        #expect(exchange.request.fields["Content-Type"] == ["application/x-www-form-urlencoded"])
        #expect(exchange.request.fields["Expect"].isEmpty)
    }

    @Test func `a compressed response is decompressed if it was requested`() async throws {
        let backend = try ScriptedBackend { _ in Gzip.answer(Gzip.object) }
        var request = try self.request(backend)
        request.acceptsGzip = true
        let response = try await self.fetcher.fetch(request)
        #expect(response.body == Array(#"{"a":1}"#.utf8))
        #expect(backend.record.requests.first?.fields["Accept-Encoding"] == ["gzip"])
    }

    @Test func `a second request reuses the connection`() async throws {
        let backend = try ScriptedBackend { _ in [.answer("304 Not Modified")] }
        for _ in 0..<3 {
            let response = try await self.fetcher.fetch(try self.request(backend))
            #expect(response.status == 304)
        }
        #expect(backend.record.connections.count == 1)
    }

    @Test func `a redirect includes the credential only for trusted hosts`() async throws {
        let last = try ScriptedBackend { _ in [.answer(body: "here")] }
        let lastPort = last.port
        let first = try ScriptedBackend { request in
            let there = request.target == "/trusted" ? "localhost" : "127.0.0.1"
            let location = "Location: http://\(there):\(lastPort)/there\r\n"
            return [.answer("307 Temporary Redirect", fields: location)]
        }
        for (path, secrets) in [("/trusted", ["Bearer secret"]), ("/known", [])] {
            var request = try self.request(first, path)
            request.credential = .bearer("secret")
            request.redirects = RedirectRule(
                hosts: [try #require(HostPattern("127.0.0.1"))],
                trustedHosts: [try #require(HostPattern("localhost"))]
            )
            let response = try await self.fetcher.fetch(request)
            #expect(response.body == Array("here".utf8))
            #expect(last.record.requests.last?.fields["Authorization"] == secrets)
        }
        #expect(first.record.requests.allSatisfy { !$0.fields["Authorization"].isEmpty })
    }

    @Test func `too many redirects are an error`() async throws {
        let backend = try ScriptedBackend { _ in
            [.answer("302 Found", fields: "Location: /again\r\n")]
        }
        let request = try self.request(backend)
        await #expect(throws: FetchFailure.tooManyRedirects(limit: 5)) {
            try await self.fetcher.fetch(request)
        }
        #expect(backend.record.targets.count == RedirectRule.limit + 1)
    }

    @Test func `the deadline covers all redirects`() async throws {
        let backend = try ScriptedBackend { _ in
            [.pause(milliseconds: 150), .answer("302 Found", fields: "Location: /again\r\n")]
        }
        var request = try self.request(backend)
        request.limits.deadline = .milliseconds(400)
        await #expect(throws: FetchFailure.deadline) { try await self.fetcher.fetch(request) }
    }

    @Test func `a field that would inject another one is not sent`() async throws {
        let backend = try ScriptedBackend { _ in [.answer()] }
        for credential in [
            Credential.bearer("a\r\nX: y"), .field(HeaderField(name: "A b", value: "c")),
        ] {
            var request = try self.request(backend)
            request.credential = credential
            await #expect(throws: FetchFailure.unsendable) {
                try await self.fetcher.fetch(request)
            }
        }
        #expect(backend.record.requests.isEmpty)
    }

    @Test func `canceling the task ends the transfer`() async throws {
        let arrived = Latch()
        let backend = try ScriptedBackend { _ in
            arrived.open()
            return [.stall]
        }
        let request = try self.request(backend)
        let task = Task { try await self.fetcher.fetch(request) }
        try await arrived.opens()
        task.cancel()
        await #expect(throws: FetchFailure.cancelled) { try await task.value }
    }

    @Test func `many transfers run concurrently`() async throws {
        // No response is sent before all requests have arrived.
        let all = Latch()
        let backend = try ScriptedBackend { request in
            [.wait(all), .answer(body: request.target)]
        }
        let paths = (0..<20).map { "/\($0)" }
        let answers = try await withThrowingTaskGroup { group in
            for path in paths {
                let request = try self.request(backend, path)
                group.addTask {
                    String(decoding: try await self.fetcher.fetch(request).body, as: UTF8.self)
                }
            }
            try await backend.reaches("all") { $0.requests.count == paths.count ? true : nil }
            all.open()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(answers == Set(paths))
    }

    @Test func `releasing the fetcher and its stream ends the transfer`() async throws {
        let arrived = Latch()
        let backend = try ScriptedBackend { _ in
            arrived.open()
            return [.send("HTTP/1.1 200 OK\r\n\r\n"), .stall]
        }
        var fetcher: Fetcher? = try Fetcher()
        var stream = try await fetcher?.open(try self.request(backend))
        #expect(stream?.head.status == 200)
        (fetcher, stream) = (nil, nil)
        // The connection is closed once the fetcher thread has cleaned up.
        try await backend.reaches("the end") { $0.connections.first?.end }
    }
}
