import GateTestSupport
import Testing

@testable import GateControl

@Suite(.serialized, .timeLimit(.minutes(5)))
struct FetchStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    private let fetcher: Fetcher

    init() throws {
        self.fetcher = try Fetcher()
    }

    private func request(_ backend: ScriptedBackend) throws -> FetchRequest {
        FetchRequest(try FetchURL(parsing: "http://127.0.0.1:\(backend.port)/"))
    }

    @Test func `pieces come when they are sent, and then the end`() async throws {
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

    @Test func `a status of any kind is the caller's to judge`() async throws {
        let backend = try ScriptedBackend { _ in
            [.answer("401 Unauthorized", body: #"{"error":"denied"}"#)]
        }
        let stream = try await self.fetcher.open(try self.request(backend))
        #expect(stream.head.status == 401)
        var body: [UInt8] = []
        for try await piece in stream { body += piece }
        #expect(body == Array(#"{"error":"denied"}"#.utf8))
    }

    @Test func `a reader that takes nothing makes the source wait`() async throws {
        let size = 64 << 20
        let backend = try ScriptedBackend { _ in
            [.send(Self.head), .stream(size), .close]
        }
        let stream = try await self.fetcher.open(try self.request(backend))
        let limit = Deadline.usual
        while backend.record.connections.first?.wasBlocked != true {
            try #require(!limit.hasPassed)
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(backend.record.connections.first.map { $0.streamed < size / 2 } == true)
        // The backend does not wait for ever: other tests must not hold the reader's thread.
        let pieces = try await withTaskExecutorPreference(BlockingExecutor.shared) {
            var sizes: [Int] = []
            for try await piece in stream { sizes.append(piece.count) }
            return sizes
        }
        #expect(pieces.reduce(0, +) == size)
        #expect(pieces.allSatisfy { $0 <= StreamBuffer.capacity + (16 << 10) })
    }

    @Test func `a silent source is given up, a reader that is slow is not silence`() async throws {
        let backend = try ScriptedBackend { request in
            request.connection == 0
                ? [.send(Self.head), .send("a"), .stall]
                : [.send(Self.head), .stream(1 << 20), .close]
        }
        var request = try self.request(backend)
        request.limits.silence = .milliseconds(200)
        let silent = try await self.fetcher.open(request).makeAsyncIterator()
        #expect(try await silent.next() == [UInt8(ascii: "a")])
        await #expect(throws: FetchFailure.silence) { try await silent.next() }

        let full = try await self.fetcher.open(request)
        try await Task.sleep(for: .milliseconds(400))
        var count = 0
        for try await piece in full { count += piece.count }
        #expect(count == 1 << 20)
    }

    @Test func `a source without a head is given up, too`() async throws {
        let backend = try ScriptedBackend { _ in [.stall] }
        var request = try self.request(backend)
        request.limits.silence = .milliseconds(100)
        let mute = request
        await #expect(throws: FetchFailure.silence) { try await self.fetcher.open(mute) }
    }

    @Test func `a stream that breaks says so after what had come`() async throws {
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

    @Test func `cancelling the reader ends the transfer`() async throws {
        let backend = try ScriptedBackend { _ in [.send(Self.head), .stall] }
        let stream = try await self.fetcher.open(try self.request(backend))
        let task = Task { try await stream.makeAsyncIterator().next() }
        task.cancel()
        await #expect(throws: FetchFailure.cancelled) { try await task.value }
    }

    @Test func `letting go of a stream closes its connection`() async throws {
        let backend = try ScriptedBackend { _ in [.send(Self.head), .stall] }
        var stream: FetchStream? = try await self.fetcher.open(try self.request(backend))
        #expect(stream?.head.status == 200)
        stream = nil
        let limit = Deadline.usual
        while backend.record.connections.first?.end == nil {
            try #require(!limit.hasPassed)
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    @Test func `a redirected stream is read at its last place`() async throws {
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
