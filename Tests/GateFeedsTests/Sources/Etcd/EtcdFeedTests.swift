import Foundation
import GatePolicy
import GateRules
import GateSystem
import GateTestSupport
import RulesTestSupport
import Synchronization
import Testing

/// A gateway with responses that are rare in etcd; the end-to-end tests use a real etcd.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EtcdFeedTests {
    private static let key = Data("/rules".utf8).base64EncodedString()

    private static func range(_ text: String, revision: Int = 5) -> BackendStep {
        let value = Data(text.utf8).base64EncodedString()
        let pairs = #","kvs":[{"key":"\#(key)","value":"\#(value)"}],"count":"1""#
        return .answer(body: #"{"header":{"revision":"\#(revision)"}\#(pairs)}"#)
    }

    private static let created = #"{"result":{"header":{"revision":"5"},"created":true}}"#

    /// Returns a watch that starts, sends these messages and then stalls.
    private static func watch(_ messages: String...) -> [BackendStep] {
        let chunks = ([Self.created] + messages).map { message in
            "\(String(message.utf8.count + 1, radix: 16))\r\n\(message)\n\r\n"
        }
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        return [.readBody, .send(head + chunks.joined()), .stall]
    }

    private func feed(_ urls: [String], _ keys: String = "") throws -> FeedDefinition {
        let file =
            "feeds: [{ id: a, source: etcd, url: [\(urls.joined(separator: ", "))], key: /rules"
            + "\(keys) }]\n"
        let loaded = try RulesFileLoader.load(sources: [("rules.yaml", file)])
        return try #require(loaded.feeds.first)
    }

    /// Follows a feed until it fails, ends or has sent this many results.
    private func answers(of feed: FeedDefinition, atMost count: Int) async throws -> [FeedResult] {
        let context = FeedContext(
            feed: "a",
            fetcher: try Fetcher(),
            last: nil,
            now: SystemClock.now
        )
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: FeedResult.self)
        return try await withThrowingTaskGroup { group in
            group.addTask {
                do {
                    try await feed.source.follow(context) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            var answers: [FeedResult] = []
            for try await answer in stream {
                answers.append(answer)
                if answers.count == count { break }
            }
            group.cancelAll()
            return answers
        }
    }

    private static func value(_ text: String) -> FeedResult {
        .value(FeedValue(document: text))
    }

    @Test func `the range is read again if its revision is compacted`() async throws {
        let texts = Mutex(["A", "B"])
        let server = try SourceServer { request in
            guard request.target == "/v3/watch" else {
                return [Self.range(texts.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })]
            }
            return Self.watch(#"{"result":{"canceled":true,"compact_revision":"9"}}"#)
        }
        let feed = try self.feed([server.url("")])
        #expect(try await self.answers(of: feed, atMost: 2) == [Self.value("A"), Self.value("B")])
        // After repeated compactions the feed fails.
        await #expect(
            throws: FeedFailure.content("etcd repeatedly compacted the watch's revision")
        ) {
            try await self.answers(of: feed, atMost: 100)
        }
    }

    @Test func `a silent watch is reopened after reading the range again`() async throws {
        let texts = Mutex(["A", "B"])
        let server = try SourceServer { request in
            guard request.target == "/v3/watch" else {
                return [Self.range(texts.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })]
            }
            return Self.watch()
        }
        let feed = try self.feed([server.url("")], ", every: 1s")
        #expect(try await self.answers(of: feed, atMost: 2) == [Self.value("A"), Self.value("B")])
    }

    @Test func `a watch starts after the revision of the range`() async throws {
        let value = Data("B".utf8).base64EncodedString()
        let event = #"{"kv":{"key":"\#(Self.key)","value":"\#(value)"}}"#
        let server = try SourceServer { request in
            guard request.target == "/v3/watch" else { return [Self.range("A", revision: 41)] }
            return Self.watch(#"{"result":{"events":[\#(event)]}}"#)
        }
        let feed = try self.feed([server.url("")])
        #expect(try await self.answers(of: feed, atMost: 2) == [Self.value("A"), Self.value("B")])
        let asked = server.record.exchanges.map { exchange in
            "\(exchange.request.target) \(String(decoding: exchange.body, as: UTF8.self))"
        }
        #expect(
            asked == [
                #"/v3/kv/range {"key": "\#(Self.key)", "limit": 1001}"#,
                #"/v3/watch {"create_request": {"key": "\#(Self.key)", "start_revision": "42"}}"#,
            ]
        )
    }

    @Test func `members are tried in order until one responds`() async throws {
        let gone = try FreePort.find()
        let sick = try SourceServer { _ in [.answer("503 Service Unavailable")] }
        let well = try SourceServer { request in
            request.target == "/v3/watch" ? Self.watch() : [Self.range("A")]
        }
        let feed = try self.feed(["http://127.0.0.1:\(gone)", sick.url("/"), well.url("")])
        #expect(try await self.answers(of: feed, atMost: 1) == [Self.value("A")])
        let none = try self.feed(["http://127.0.0.1:\(gone)", sick.url("")])
        await #expect(throws: FeedFailure.fetch(.unreachable)) {
            try await self.answers(of: none, atMost: 1)
        }
    }

    @Test func `an expired token is renewed`() async throws {
        let tokens = Mutex(0)
        let server = try SourceServer { request in
            if request.target == "/v3/auth/authenticate" {
                let number = tokens.withLock { count in
                    count += 1
                    return count
                }
                return [.answer(body: #"{"header":{},"token":"t.\#(number)"}"#)]
            }
            if request.target == "/v3/watch" { return Self.watch() }
            // The first token is valid for one request.
            let isKnown = request.fields["Authorization"] == ["t.1"]
            let uses = tokens.withLock { count in
                defer { if isKnown { count = max(count, 2) } }
                return isKnown && count > 1
            }
            guard !uses else {
                let body = #"{"error":"etcdserver: invalid auth token","code":16}"#
                return [.answer("401 Unauthorized", body: body)]
            }
            return [Self.range(request.fields["Authorization"].first ?? "nobody")]
        }
        let folder = try TestFolder()
        try folder.write("secret\n", to: "password")
        let account = ", user: gate, password: { file: '\(folder.path(of: "password"))' }"
        let feed = try self.feed([server.url("")], "\(account), every: 1s")
        #expect(
            try await self.answers(of: feed, atMost: 2) == [Self.value("t.1"), Self.value("t.3")]
        )
        #expect(
            server.record.exchanges.first.map { String(decoding: $0.body, as: UTF8.self) }
                == #"{"name": "gate", "password": "secret"}"#
        )
    }

    @Test func `the peer port is reported`() async throws {
        let server = try SourceServer { _ in
            [.answer("404 Not Found", body: "404 page not found\n")]
        }
        let feed = try self.feed([server.url("")])
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.answers(of: feed, atMost: 1)
        }
        #expect(
            failure?.description
                == "the source responded with 404: no JSON gateway; check that the port is for clients "
                + "(2379), not for peers (2380)"
        )
    }

    @Test(arguments: SourceFault.allCases.filter { $0 != .silent })
    func `a fault of the server never gives a value`(fault: SourceFault) async throws {
        let server = try SourceServer { _ in [Self.range("A")] }
        server.set(fault)
        let feed = try self.feed([server.url("")])
        let failure = await #expect(throws: FeedFailure.self) {
            try await self.answers(of: feed, atMost: 1)
        }
        #expect(failure?.description.isEmpty == false)
    }
}
