import GateTestSupport
import Glibc
import Testing

/// Denied uploads over HTTP/2: many clients show a response only after they have sent the whole
/// body.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct HTTP2RefusedUploadTests {
    private static let outdated: [HTTP2Fields.Field] = [
        ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"), ("x-app-version", "3.4.9"),
    ]
    private static let firstWindow = 65_535
    /// A full frame.
    private static let piece = [UInt8](repeating: 0x78, count: 16_384)

    /// How an upload ended for its client.
    private struct Outcome: Equatable {
        var status = 0
        /// The number of bytes of the body that were sent.
        var sent = 0
        /// The number of bytes of the body that were sent before the response arrived.
        var sentBeforeResponse = 0
        /// The code of the stream's reset.
        var reset: UInt32?
    }

    /// Sends a body as the windows allow, and reads until the body is sent or the stream is reset.
    private func upload(
        _ size: Int,
        announces: Bool = true,
        on stream: UInt32,
        of client: RawHTTP2Client,
        fields: [HTTP2Fields.Field] = []
    ) throws -> Outcome {
        let length = announces ? [("content-length", "\(size)")] : []
        try client.request(stream, "POST", "/a", Self.outdated + length + fields, endsStream: false)
        var outcome = Outcome()
        var room = Self.firstWindow
        let deadline = Deadline.after(.seconds(20))
        while true {
            while room > 0, outcome.sent < size {
                let count = min(room, size - outcome.sent, Self.piece.count)
                (room, outcome.sent) = (room - count, outcome.sent + count)
                let isLast = outcome.sent == size
                try client.data(stream, Array(Self.piece.prefix(count)), endsStream: isLast)
            }
            if outcome.sent == size, outcome.status != 0 { return outcome }
            guard let frame = try client.frame(by: deadline) else { return outcome }
            guard frame.stream == stream else { continue }
            if frame.isA(.headers) {
                let status = try HTTP2Fields.read(frame.payload)[":status"].first
                outcome.status = status.flatMap { Int($0) } ?? 0
                outcome.sentBeforeResponse = outcome.sent
            } else if frame.isA(.windowUpdate) {
                room += Int(frame.number(at: 0) ?? 0)
            } else if frame.isA(.resetStream) {
                outcome.reset = frame.number(at: 0)
                return outcome
            }
        }
    }

    @Test(arguments: [(10_000, true), (3_000_000, true), (3_000_000, false), (30_000_000, true)])
    func `a denied client may send its body to the end`(size: Int, announces: Bool) async throws {
        try await Scene.play(flags: [.adminListen()]) { scene in
            let client = try scene.connectHTTP2()
            let outcome = try self.upload(size, announces: announces, on: 1, of: client)
            #expect(outcome.status == 426)
            #expect(outcome.sent == size)
            try client.request(3)
            #expect(try client.response(3).status == 200)
            let metrics = try scene.metrics()
            #expect(metrics["versiongate_discarded_body_bytes_total"] == Double(size))
            let cuts = metrics.samples(of: "versiongate_discarded_bodies_cut_total")
            #expect(cuts.values.allSatisfy { $0 == 0 }, "\(cuts)")
        }
    }

    /// The fields that announce a body, and its parts.
    private static let smallBodies: [(fields: [HTTP2Fields.Field], parts: [Int])] = [
        ([("content-length", "10")], [4, 6]),
        ([("content-length", "60000")], [16_384, 16_384, 16_384, 10_848]),
        ([], [4, 6]),
        ([], [10, 0]),
    ]

    /// Envoy, Caddy and nghttpx reset the stream of their client after an early response, and OkHttp then drops it.
    @Test(arguments: smallBodies.indices)
    func `the response waits for a small body`(_ index: Int) async throws {
        let (fields, parts) = Self.smallBodies[index]
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/a", Self.outdated + fields, endsStream: false)
            for (number, count) in parts.enumerated() {
                let early = try? client.frame(by: .after(.milliseconds(100))) {
                    $0.stream == 1 && !$0.isA(.windowUpdate)
                }
                #expect(early == nil)
                let isLast = number == parts.count - 1
                try client.data(1, Array(Self.piece.prefix(count)), endsStream: isLast)
            }
            let denial = try client.response(1)
            #expect(denial.status == 426)
            #expect(denial.isComplete)
            try client.request(3)
            #expect(try client.response(3).status == 200)
        }
    }

    private static let largeBodies: [[HTTP2Fields.Field]] = [
        [("content-length", "65537")], [("content-length", "10"), ("expect", "100-continue")],
        [("content-type", "application/connect+json")],
    ]

    @Test(arguments: largeBodies)
    func `the response does not wait for a body that may be large or may never be sent`(
        fields: [HTTP2Fields.Field]
    ) async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let start = ContinuousClock.now
            try client.request(1, "POST", "/a", Self.outdated + fields, endsStream: false)
            #expect(try client.response(1).fields["x-versiongate"] == ["require"])
            #expect(ContinuousClock.now - start < .milliseconds(900))
        }
    }

    /// A small body of unknown length may turn out to be large.
    @Test func `the response waits for at most 64 KiB`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let start = ContinuousClock.now
            let outcome = try self.upload(300_000, announces: false, on: 1, of: client)
            #expect(outcome.status == 426)
            #expect(outcome.sent == 300_000)
            #expect(outcome.sentBeforeResponse < 300_000)
            #expect(ContinuousClock.now - start < .milliseconds(900))
        }
    }

    @Test(arguments: [true, false])
    func `the response waits for a large body, if the settings permit it`(
        announces: Bool
    ) async throws {
        let flags: [GateFlag] = [.maxAwaitedBytes(4_000_000), .awaitTimeout(seconds: 20)]
        try await Scene.play(flags: flags + [.adminListen()]) { scene in
            let client = try scene.connectHTTP2()
            let outcome = try self.upload(3_000_000, announces: announces, on: 1, of: client)
            #expect(outcome.status == 426)
            #expect(outcome.sentBeforeResponse == 3_000_000)
            #expect(outcome.reset == nil)
            try client.request(3)
            #expect(try client.response(3).status == 200)
            #expect(try scene.metrics()["versiongate_discarded_body_bytes_total"] == 3_000_000)
        }
    }

    @Test func `the response to a large body waits only while there is a budget`() async throws {
        let flags: [GateFlag] = [
            .maxAwaitedBytes(4_000_000), .awaitTimeout(seconds: 20),
            // The budget of a client contains 16 bodies.
            .maxDiscardedBytes(50_000), .discardTimeout(seconds: 60),
        ]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            let outcome = try self.upload(3_000_000, on: 1, of: client)
            #expect(outcome.status == 426)
            #expect(outcome.sentBeforeResponse > 400_000)
            #expect(outcome.sentBeforeResponse < 1_000_000)
            try client.request(3)
            #expect(try client.response(3).status == 200)
        }
    }

    /// During the first second of a drain, new requests are still accepted.
    @Test func `the response waits for a small body during a drain, too`() async throws {
        let flags: [GateFlag] = [.reusePort, .drainTimeout(seconds: 20)]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1)
            #expect(try client.response(1).status == 200)
            scene.gate.send(signal: SIGTERM)
            let notice = try client.frame { $0.isA(.goAway) }
            #expect(notice?.number(at: 0) == UInt32(Int32.max))
            let fields = Self.outdated + [("content-length", "4")]
            try client.request(3, "POST", "/a", fields, endsStream: false)
            let early = try? client.frame(by: .after(.milliseconds(100))) { $0.stream == 3 }
            #expect(early == nil)
            try client.data(3, [1, 2, 3, 4], endsStream: true)
            #expect(try client.response(3).status == 426)
        }
    }

    @Test func `a client with an early backend response may send its body, too`() async throws {
        let early = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"
        try await Scene.play(backend: { _ in [.send(early), .stall] }) { scene in
            let client = try scene.connectHTTP2()
            let current: [HTTP2Fields.Field] = [("x-app-version", "3.6.0")]
            try client.request(
                1,
                "POST",
                "/a",
                current + [("content-length", "3000000")],
                endsStream: false
            )
            #expect(try client.response(1).status == 401)
            let room = try client.frame { $0.isA(.windowUpdate) && $0.stream == 1 }
            #expect(room != nil)
        }
    }

    @Test func `a body beyond the limit is cut off without an error`() async throws {
        let flags: [GateFlag] = [.maxDiscardedBytes(1_000_000), .adminListen()]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            let outcome = try self.upload(3_000_000, on: 1, of: client)
            #expect(outcome.status == 426)
            #expect(outcome.reset == 0)
            #expect(outcome.sent <= 1_000_000 + Self.firstWindow)
            #expect(outcome.sent > 500_000)
            try client.request(3)
            #expect(try client.response(3).status == 200)
            let cut = "versiongate_discarded_bodies_cut_total{reason=\"size\"}"
            #expect(try scene.metrics()[cut] == 1)
        }
    }

    @Test func `the gate does not wait for a body that stalls`() async throws {
        let flags: [GateFlag] = [.discardTimeout(seconds: 1), .adminListen()]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            let fields = Self.outdated + [("content-length", "3000000")]
            try client.request(1, "POST", "/a", fields, endsStream: false)
            #expect(try client.response(1).status == 426)
            let reset = try client.frame(by: .after(.seconds(10))) { $0.isA(.resetStream) }
            #expect(reset?.number(at: 0) == 0)
            let cut = "versiongate_discarded_bodies_cut_total{reason=\"time\"}"
            #expect(try scene.metrics()[cut] == 1)
        }
    }

    /// gRPC clients read the end of a call at any time, and the body of a call may never end.
    @Test func `a denied call is reset at once, and gets no window`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            let fields = Self.outdated + [("content-type", "application/grpc"), ("te", "trailers")]
            try client.request(1, "POST", "/a", fields, endsStream: false)
            #expect(try client.response(1).fields["grpc-status"] == ["9"])
            let next = try client.frame(by: .after(.seconds(3))) { $0.stream == 1 }
            #expect(next?.isA(.resetStream) == true)
            #expect(next?.number(at: 0) == 0)
        }
    }

    @Test func `a small body causes no window update`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            for (index, announces) in [true, false].enumerated() {
                let stream = UInt32(index * 4 + 1)
                let length = announces ? [("content-length", "20000")] : []
                try client.request(
                    stream,
                    "POST",
                    "/a",
                    Self.outdated + length,
                    endsStream: false
                )
                #expect(try client.response(stream).status == 426)
                try client.data(stream, Self.piece)
                try client.data(stream, Array(Self.piece.prefix(3616)), endsStream: true)
                try client.request(stream + 2)
                let next = try client.frame { !$0.isA(.settings) }
                #expect(next?.stream == stream + 2, "\(String(describing: next))")
                _ = try client.frame { $0.endsStream }
            }
        }
    }

    /// The limit of one connection is twice that of a body.
    @Test func `a connection may send two large bodies before the limit applies`() async throws {
        let flags: [GateFlag] = [
            .maxDiscardedBytes(1_000_000), .discardTimeout(seconds: 60), .adminListen(),
        ]
        try await Scene.play(flags: flags) { scene in
            let client = try scene.connectHTTP2()
            var sent: [Int] = []
            for stream: UInt32 in [1, 3, 5, 7] {
                let outcome = try self.upload(900_000, on: stream, of: client)
                #expect(outcome.status == 426)
                sent.append(outcome.sent)
            }
            #expect(sent[0] == 900_000)
            #expect(sent[1] == 900_000)
            #expect(sent[3] < 400_000)
            let cut = "versiongate_discarded_bodies_cut_total{reason=\"budget\"}"
            #expect(try scene.metrics()[cut] ?? 0 >= 1)
            try client.request(9)
            #expect(try client.response(9).status == 200)
        }
    }

    @Test func `unfinished bodies beyond the stream limit end the oldest`() async throws {
        try await Scene.play { scene in
            let client = try scene.connectHTTP2()
            for index in UInt32(0)..<101 {
                let stream = index * 2 + 1
                let fields = Self.outdated + [("content-length", "100000")]
                try client.request(stream, "POST", "/a", fields, endsStream: false)
                #expect(try client.response(stream).status == 426)
            }
            let reset = try client.frame(by: .after(.seconds(3))) { $0.isA(.resetStream) }
            #expect(reset?.stream == 1)
        }
    }

    @Test func `a gate that drains lets an upload finish`() async throws {
        try await Scene.play(flags: [.drainTimeout(seconds: 20)]) { scene in
            let client = try scene.connectHTTP2()
            let fields = Self.outdated + [("content-length", "100000")]
            try client.request(1, "POST", "/a", fields, endsStream: false)
            #expect(try client.response(1).status == 426)
            let room = try client.frame { $0.isA(.windowUpdate) && $0.stream == 1 }
            #expect(room != nil)
            scene.gate.send(signal: SIGTERM)
            #expect(try client.frame { $0.isA(.goAway) }?.number(at: 4) == 0)
            for _ in 0..<6 { try client.data(1, Self.piece) }
            try client.data(1, Array(Self.piece.prefix(100_000 - 6 * 16_384)), endsStream: true)
            #expect(try client.frame { $0.isA(.resetStream) } == nil)
            client.close()
            #expect(try scene.gate.waitForExit() == .status(0))
        }
    }
}
