import GatePolicy
import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

struct RequestBlockWriterTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var head: String
        var isSecure = false
        var fields: [String]

        var testDescription: String { self.head.split(separator: "\r\n").joined(separator: " | ") }
    }

    static let cases = [
        Case(
            head: wire("GET / HTTP/1.0"),
            fields: [":method: GET", ":scheme: http", ":authority: backend", ":path: /"]
        ),
        Case(
            head: wire("GET http://b.example?c HTTP/1.1", "Host: a"),
            fields: [":method: GET", ":scheme: http", ":authority: b.example", ":path: /?c"]
        ),
        Case(
            head: wire("GET / HTTP/1.1", "Host: a.example:8080"),
            fields: [":method: GET", ":scheme: http", ":authority: a.example:8080", ":path: /"]
        ),
        Case(
            head: wire("GET / HTTP/1.1", "Host:"),
            fields: [":method: GET", ":scheme: http", ":path: /"]
        ),
        Case(
            head: wire("POST /b?c=d HTTP/1.1", "X-A: 1", "Host: a", "Content-Length: 3"),
            isSecure: true,
            fields: [
                ":method: POST", ":scheme: https", ":authority: a", ":path: /b?c=d", "x-a: 1",
                "content-length: 3",
            ]
        ),
        Case(
            head: wire("OPTIONS * HTTP/1.1", "Host: a"),
            fields: [":method: OPTIONS", ":scheme: http", ":authority: a", ":path: *"]
        ),
        Case(
            head: wire(
                "PUT / HTTP/1.1",
                "Host: a",
                "Connection: upgrade",
                "Upgrade: websocket",
                "Transfer-Encoding: chunked",
                "Keep-Alive: 5",
                "Cookie: a=1; b=2",
                "X-VersionGate-Decision: allow"
            ),
            fields: [
                ":method: PUT", ":scheme: http", ":authority: a", ":path: /", "cookie: a=1; b=2",
            ]
        ),
        Case(
            head: wire("GET / HTTP/1.1", "Host: a", "Connection: TE", "TE: trailers"),
            fields: [":method: GET", ":scheme: http", ":authority: a", ":path: /", "te: trailers"]
        ),
        Case(
            head: wire(
                "GET / HTTP/1.1",
                "Host: a",
                "X-Long: " + String(repeating: "x", count: 300)
            ),
            fields: [
                ":method: GET", ":scheme: http", ":authority: a", ":path: /",
                "x-long: " + String(repeating: "x", count: 300),
            ]
        ),
    ]

    @Test(arguments: Self.cases)
    func `a head becomes a header block`(_ example: Case) throws {
        let read = try RequestSample(example.head)
        let request = ForwardedRequest(
            read.head,
            facts: try read.facts(),
            in: read.bytes.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientAddress(nil, trusted: .none),
            upstreamAuthority: "backend",
            newRequestID: { RequestID(high: 0, low: 0) }
        )
        let fields = try HeaderBlock(of: request, isSecure: example.isSecure).fields
        let added = ["x-forwarded-", "x-request-id", "x-versiongate-"]
        #expect(
            fields.filter { field in !added.contains { field.hasPrefix($0) } } == example.fields
        )
    }
}

/// The fields of a request as received by an HTTP/2 backend, each as `name: value`.
struct HeaderBlock {
    let fields: [String]

    init(of request: ForwardedRequest, isSecure: Bool = false) throws {
        var block = ByteBuffer()
        let writer = RequestBlockWriter(request, isSecure: isSecure)
        block.writeHeaderBlock(fields: writer.maxFields, bytes: writer.maxBytes) {
            writer.write(into: &$0)
        }
        var list = HeaderList()
        var decoder = HPACKDecoder(names: .response)
        try decoder.decode(block.readableBytesUInt8Span, into: &list, limit: .max)
        self.fields = list.lines.map { line in
            list.bytes.text(from: line.start, to: line.nameEnd) + ": "
                + list.bytes.text(from: line.valueStart, to: line.valueEnd)
        }
    }

    /// Returns the fields that correspond to a head for an HTTP/1.1 backend.
    static func fields(of text: RequestSample) throws -> [String] {
        let host = text.fields.first { $0.name.lowercased() == "host" }?.value ?? ""
        let hopByHop = ["host", "connection", "upgrade", "transfer-encoding"]
        return [":method: \(text.method)", ":scheme: http"]
            + (host.isEmpty ? [] : [":authority: \(host)"]) + [":path: \(text.target)"]
            + text.fields.filter { !hopByHop.contains($0.name.lowercased()) }.map {
                "\($0.name.lowercased()): \($0.value)"
            }
    }
}
