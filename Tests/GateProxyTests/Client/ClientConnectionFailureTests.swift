import GateCensus
import Testing
import WireSamples

@testable import GateProxy

/// The counting of failed backend responses, each for the client that sent the request and for no other.
struct ClientConnectionFailureTests {
    /// How a request ends.
    enum End: Sendable {
        /// The backend sends these, one after the other.
        case answers([String])
        case disconnects
        case isSilent
    }

    private static func stage(_ configure: (inout GateSettings) -> Void = { _ in }) throws -> Stage
    {
        let hash = try #require(SipHash(key: Array(repeating: 1, count: 16)))
        return try Stage { settings in
            settings.census = CensusTally.Settings(maxCells: 10, hash: hash)
            configure(&settings)
        }
    }

    /// Returns the numbers of counted requests, observed responses and failures, by version.
    private static func counted(_ stage: Stage) throws -> [String: [UInt64]] {
        var bucket = CensusBucket(limit: 10)
        bucket.add(try #require(stage.worker.loop.census).take())
        return Dictionary(
            bucket.cells.map { cell, figures in
                (
                    cell.client?.version.text ?? "-",
                    [figures.requests, figures.watched, figures.serverErrors]
                )
            },
            uniquingKeysWith: { zip($0, $1).map(+) }
        )
    }

    private static func head(_ status: Int) -> String {
        wire("HTTP/1.1 \(status) Whatever", "Content-Length: 2")
    }

    @Test(
        arguments: [
            (.answers([Self.head(500) + "no"]), 1), (.answers([Self.head(503) + "no"]), 1),
            (.answers([Self.head(599) + "no"]), 1), (.answers([Self.head(200) + "ok"]), 0),
            (.answers([Self.head(499) + "no"]), 0), (.answers([Self.head(404) + "no"]), 0),
            (.answers([wire("HTTP/1.1 103 Early Hints"), Self.head(502) + "no"]), 1),
            // The head alone decides, and the end of the response does not change the result.
            (.answers([Self.head(500)]), 1), (.answers([Self.head(500), "no"]), 1),
            (.answers([wire("HTTP/1.1 500 No", "Transfer-Encoding: chunked"), "what\r\n"]), 1),
            (.answers([wire("HTTP/1.1 200 OK", "Transfer-Encoding: chunked"), "what\r\n"]), 0),
            (.answers(["nonsense\r\n\r\n"]), 1), (.disconnects, 1), (.isSilent, 1),
        ] as [(End, UInt64)]
    )
    func `a 5xx response counts as a failure, and so does a missing one`(
        _ end: End,
        _ errors: UInt64
    ) throws {
        let stage = try Self.stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        // A request with a body is not retried.
        try client.receive(
            wire("POST /a HTTP/1.1", "Host: a", "X-App-Version: 3", "Content-Length: 1") + "x"
        )
        switch end {
        case .answers(let pieces): for piece in pieces { try upstream.receive(piece) }
        case .disconnects: upstream.disconnect()
        case .isSilent: client.handler.deadlineReached()
        }
        #expect(try Self.counted(stage) == ["3": [1, 1, errors]])
    }

    @Test func `a response that the backend truncates is not a failure`() throws {
        let stage = try Self.stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        try upstream.receive(Self.head(200))
        upstream.disconnect()
        #expect(client.socket.isClosed)
        #expect(try Self.counted(stage) == ["3": [1, 1, 0]])
    }

    @Test func `of several requests on a connection, only failed ones are failures`() throws {
        let stage = try Self.stage()
        let upstream = try stage.upstream()
        let client = try stage.client()
        for (version, status) in [(3, 200), (4, 500), (3, 503), (4, 500), (3, 200)] {
            try client.receive(
                wire("GET / HTTP/1.1", "Host: a", "X-App-Version: \(version)")
            )
            try upstream.receive(Self.head(status) + "no")
        }
        #expect(try Self.counted(stage) == ["3": [3, 3, 1], "4": [2, 2, 2]])
    }

    @Test func `a request that the gate denies or has no capacity for is not a failure`() throws {
        let stage = try Self.stage { $0.maxPendingRequests = 1 }
        _ = try stage.upstream()
        let denied = try stage.client()
        try denied.receive(Message.outdated)
        #expect(denied.socket.sent.hasPrefix("HTTP/1.1 426 "))
        let waiting = try stage.client()
        try waiting.receive(Message.get)
        let shed = try stage.client()
        try shed.receive(Message.second)
        #expect(shed.socket.sent.hasPrefix("HTTP/1.1 503 "))
        #expect(try Self.counted(stage) == ["1": [1, 0, 0], "3": [2, 2, 0]])
    }

    @Test func `a response that arrives after the fetch is counted for its own client`() throws {
        let stage = try Self.stage()
        let tally = try #require(stage.worker.loop.census)
        var bucket = CensusBucket(limit: 10)
        let upstream = try stage.upstream()
        let client = try stage.client()
        try client.receive(Message.get)
        bucket.add(tally.take())
        _ = bucket.take()
        let other = try stage.client()
        try other.receive(wire("GET / HTTP/1.1", "Host: a", "X-App-Version: 1"))
        try upstream.receive(Self.head(500) + "no")
        bucket.add(tally.take())
        let failed = bucket.cells.filter { $0.value.serverErrors > 0 }
        #expect(failed.count == 1)
        #expect(failed.first?.key.client?.version.text == "3")
        #expect(failed.first?.value.requests == 0)
    }
}
