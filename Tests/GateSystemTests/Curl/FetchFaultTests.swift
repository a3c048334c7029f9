import GateTestSupport
import Testing

@testable import GateSystem

/// The possible faults of a source, and the specific error for each.
@Suite(.ownThread, .serialized, .timeLimit(.minutes(5)))
struct FetchFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var steps: [BackendStep]
        var failure: FetchFailure
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"

    static let faults = [
        Fault(testDescription: "reset", steps: [.reset], failure: .noResponse),
        Fault(testDescription: "closed", steps: [.close], failure: .noResponse),
        Fault(
            testDescription: "closed in the head",
            steps: [.send("\(ok)ETag: x"), .close],
            failure: .noResponse
        ),
        Fault(
            testDescription: "truncated by length",
            steps: [.send("\(ok)Content-Length: 10\r\n\r\nabc"), .close],
            failure: .cutShort
        ),
        Fault(
            testDescription: "reset in the body",
            steps: [
                .send("\(ok)Content-Length: 10\r\n\r\nabc"), .pause(milliseconds: 50), .reset,
            ],
            failure: .cutShort
        ),
        Fault(
            testDescription: "truncated between chunks",
            steps: [.send("\(ok)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .close],
            failure: .cutShort
        ),
        Fault(
            testDescription: "chunks without a size",
            steps: [.send("\(ok)Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), .close],
            failure: .cutShort
        ),
        Fault(
            testDescription: "without length",
            steps: [.send("\(ok)\r\n{}"), .close],
            failure: .unframed
        ),
        Fault(
            testDescription: "too large",
            steps: [.answer(body: String(repeating: "x", count: 1001))],
            failure: .tooLarge(limit: 1000)
        ),
        Fault(
            testDescription: "too large when decompressed",
            steps: Gzip.answer(Gzip.large),
            failure: .tooLarge(limit: 1000)
        ),
        Fault(
            testDescription: "too many fields",
            steps: [
                .send(ok),
                .send(String(repeating: "X: \(String(repeating: "y", count: 990))\r\n", count: 70)),
                .send("\r\n"),
            ],
            failure: .tooLarge(limit: ResponseHeadReader.limit)
        ),
        Fault(
            testDescription: "not compressed as declared",
            steps: Gzip.answer(Array("{\"a\":1}".utf8)),
            failure: .badEncoding
        ),
        Fault(
            testDescription: "compressed and damaged",
            steps: Gzip.answer(Gzip.object.map { $0 == 171 ? 255 : $0 }),
            failure: .badEncoding
        ),
        Fault(testDescription: "silent", steps: [.stall], failure: .deadline),
        Fault(
            testDescription: "slow",
            steps: [.send("\(ok)Content-Length: 9\r\n\r\n")]
                + (0..<9).flatMap { _ in [BackendStep.pause(milliseconds: 100), .send("x")] },
            failure: .deadline
        ),
        Fault(testDescription: "not HTTP", steps: [.send("hello\r\n"), .close], failure: .notHTTP),
        Fault(
            testDescription: "HTTP without a version",
            steps: [.send("HTTP/9.9 200 OK\r\n\r\n"), .close],
            failure: .notHTTP
        ),
        Fault(
            testDescription: "redirect to an unlisted host",
            steps: [.answer("302 Found", fields: "Location: https://elsewhere.example/\r\n")],
            failure: .refusedRedirect(host: "elsewhere.example", nil)
        ),
        Fault(
            testDescription: "redirect out of TLS",
            steps: [.answer("302 Found", fields: "Location: http://elsewhere.example/\r\n")],
            failure: .refusedRedirect(host: nil, .plainText)
        ),
        Fault(
            testDescription: "redirect without a location",
            steps: [.answer("302 Found")],
            failure: .unexpectedRedirect(status: 302)
        ),
    ]

    @Test(arguments: Self.faults)
    func `each fault has a specific error`(fault: Fault) async throws {
        let backend = try ScriptedBackend { _ in fault.steps }
        var request = FetchRequest(
            try FetchURL(parsing: "http://127.0.0.1:\(backend.port)/"),
            credential: .query(name: "key", value: "secret"),
            acceptsGzip: true
        )
        request.limits.bytes = 1000
        request.limits.deadline = .milliseconds(500)
        let failure = await #expect(throws: FetchFailure.self) {
            try await Fetcher().fetch(request)
        }
        #expect(failure == fault.failure)
        #expect(failure?.description.contains("secret") == false)
    }

    @Test func `a refused connection is reported as an unreachable host`() async throws {
        let port = try FreePort.find()
        let request = FetchRequest(try FetchURL(parsing: "http://127.0.0.1:\(port)/"))
        await #expect(throws: FetchFailure.unreachable) { try await Fetcher().fetch(request) }
    }

    @Test func `an unknown host is reported`() async throws {
        let request = FetchRequest(try FetchURL(parsing: "https://nobody.invalid/"))
        await #expect(throws: FetchFailure.unknownHost) { try await Fetcher().fetch(request) }
    }

    @Test func `a server without TLS is reported as a failed handshake`() async throws {
        let listener = try LoopbackListener { descriptor in
            let socket = LoopbackSocket(adopting: descriptor)
            _ = try? socket.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            _ = try? socket.receive(by: .usual)
        }
        defer { listener.stop() }
        let request = FetchRequest(try FetchURL(parsing: "https://127.0.0.1:\(listener.port)/"))
        await #expect(throws: FetchFailure.handshake) { try await Fetcher().fetch(request) }
    }

    @Test func `a stalled handshake is reported as a connect timeout`() async throws {
        let listener = try LoopbackListener { _ in }
        defer { listener.stop() }
        var request = FetchRequest(try FetchURL(parsing: "https://127.0.0.1:\(listener.port)/"))
        request.limits.connect = .milliseconds(200)
        let hanging = request
        await #expect(throws: FetchFailure.connectTimeout) { try await Fetcher().fetch(hanging) }
    }
}
