import GateTestSupport
import Testing

@testable import GateSystem

@Suite(.ownThread, .serialized, .timeLimit(.minutes(5)))
struct FetchStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    /// The offset of the fetcher's clock.
    private let ahead = Watched(Duration.zero)
    private let fetcher: Fetcher

    init() throws {
        let ahead = self.ahead
        self.fetcher = try Fetcher { .now + ahead.current }
    }

    private func request(_ backend: ScriptedBackend) throws -> FetchRequest {
        FetchRequest(try FetchURL(parsing: "http://127.0.0.1:\(backend.port)/"))
    }

    @Test func `parts are delivered as they arrive, followed by the end`() async throws {
        let (first, second) = (Latch(), Latch())
        let backend = try ScriptedBackend { _ in
            [
                .send(Self.head), .wait(first), .send("data: 1\n"), .wait(second),
                .send("data: 2\n"), .close,
            ]
        }
        let stream = try await self.fetcher.open(try self.request(backend))
        #expect(stream.head["content-type"] == "text/event-stream")
        let pieces = stream.makeAsyncIterator()
        first.open()
        #expect(try await pieces.next() == Array("data: 1\n".utf8))
        second.open()
        #expect(try await pieces.next() == Array("data: 2\n".utf8))
        #expect(try await pieces.next() == nil)
        #expect(try await pieces.next() == nil)
    }

    @Test func `responses with any status are delivered`() async throws {
        let backend = try ScriptedBackend { _ in
            [.answer("401 Unauthorized", body: #"{"error":"denied"}"#)]
        }
        let stream = try await self.fetcher.open(try self.request(backend))
        #expect(stream.head.status == 401)
        var body: [UInt8] = []
        for try await piece in stream { body += piece }
        #expect(body == Array(#"{"error":"denied"}"#.utf8))
    }

    @Test func `a slow reader causes back pressure and no timeout`()
        async throws
    {
        let size = 64 << 20
        let backend = try ScriptedBackend { request in
            request.target == "/now" ? [.answer()] : [.send(Self.head), .stream(size), .close]
        }
        let request = try self.request(backend)
        let stream = try await self.fetcher.open(request)
        let streamed = try await backend.reaches("a source that waits") { record in
            record.connections.first.flatMap { $0.wasBlocked ? $0.streamed : nil }
        }
        #expect(streamed < size / 2)
        self.ahead.update { $0 = request.limits.silence * 2 }
        // Another transfer makes the fetcher's thread check the deadlines.
        let other = try FetchURL(parsing: "http://127.0.0.1:\(backend.port)/now")
        _ = try await self.fetcher.fetch(FetchRequest(other))
        // The backend stops waiting after some time, so that it does not block the reader's thread.
        let pieces = try await withTaskExecutorPreference(BlockingExecutor.shared) {
            var sizes: [Int] = []
            for try await piece in stream { sizes.append(piece.count) }
            return sizes
        }
        #expect(pieces.reduce(0, +) == size)
        #expect(pieces.allSatisfy { $0 <= StreamBuffer.capacity + (16 << 10) })
    }

    @Test func `a silent source times out`() async throws {
        let backend = try ScriptedBackend { _ in [.send(Self.head), .send("a"), .stall] }
        var request = try self.request(backend)
        request.limits.silence = .milliseconds(200)
        let silent = try await self.fetcher.open(request).makeAsyncIterator()
        #expect(try await silent.next() == [UInt8(ascii: "a")])
        await #expect(throws: FetchFailure.silence) { try await silent.next() }
    }

    @Test func `a source without a response head times out`() async throws {
        let backend = try ScriptedBackend { _ in [.stall] }
        var request = try self.request(backend)
        request.limits.silence = .milliseconds(100)
        let mute = request
        await #expect(throws: FetchFailure.silence) { try await self.fetcher.open(mute) }
    }

    @Test func `a broken stream throws after its last part`() async throws {
        let backend = try ScriptedBackend { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
                .pause(milliseconds: 50), .reset,
            ]
        }
        let pieces = try await self.fetcher.open(try self.request(backend)).makeAsyncIterator()
        #expect(try await pieces.next() == Array("abc".utf8))
        await #expect(throws: FetchFailure.cutShort) { try await pieces.next() }
    }

    @Test func `canceling the reader ends the transfer`() async throws {
        let backend = try ScriptedBackend { _ in [.send(Self.head), .stall] }
        let stream = try await self.fetcher.open(try self.request(backend))
        let task = Task { try await stream.makeAsyncIterator().next() }
        task.cancel()
        await #expect(throws: FetchFailure.cancelled) { try await task.value }
    }

    @Test func `releasing a stream closes its connection`() async throws {
        let backend = try ScriptedBackend { _ in [.send(Self.head), .stall] }
        var stream: FetchStream? = try await self.fetcher.open(try self.request(backend))
        #expect(stream?.head.status == 200)
        stream = nil
        try await backend.reaches("the end") { $0.connections.first?.end }
    }

    @Test func `a redirected stream is read from its final location`() async throws {
        let shard = try ScriptedBackend { _ in [.send(Self.head), .send("x"), .close] }
        let port = shard.port
        let backend = try ScriptedBackend { _ in
            let location = "Location: http://localhost:\(port)/shard\r\n"
            return [.answer("307 Temporary Redirect", fields: location)]
        }
        var request = try self.request(backend)
        request.credential = .bearer("secret")
        request.redirects = RedirectRule(trustedHosts: [try #require(HostPattern("localhost"))])
        let pieces = try await self.fetcher.open(request).makeAsyncIterator()
        #expect(try await pieces.next() == [UInt8(ascii: "x")])
        #expect(shard.record.requests.first?.fields["Authorization"] == ["Bearer secret"])
    }
}
