import GatePolicy
import Testing

@testable import GateWire

/// The conversion of Envoy's `CheckRequest` to an HTTP/1.1 head.
///
/// The end-to-end tests compare it with the reference implementation of Protocol Buffers.
struct EnvoyCheckRequestTests {
    /// A request with the members of `AttributeContext.HttpRequest`.
    struct Sample: Sendable {
        var method = "GET"
        var path = "/a?b=c"
        var host = "api.example"
        var version = "HTTP/1.1"
        var headers: [(String, String)] = []
        var rawHeaders: [(String, String)] = []
        var source = "203.0.113.9"
        var extensions: [(String, String)] = []

        var bytes: [UInt8] {
            var http = ProtobufMessage()
            http.add(1, "7")
            http.add(2, self.method)
            for (name, value) in self.headers { http.add(3, Self.entry(name, value)) }
            http.add(4, self.path)
            http.add(5, self.host)
            http.add(9, 12)
            http.add(10, self.version)
            if !self.rawHeaders.isEmpty {
                var map = ProtobufMessage()
                for (name, value) in self.rawHeaders {
                    var line = ProtobufMessage()
                    line.add(1, name)
                    line.add(3, Array(value.utf8))
                    map.add(1, line)
                }
                http.add(13, map)
            }
            var request = ProtobufMessage()
            request.add(2, http)
            var socket = ProtobufMessage()
            socket.add(2, self.source)
            socket.add(3, 4711)
            var address = ProtobufMessage()
            address.add(1, socket)
            var peer = ProtobufMessage()
            peer.add(1, address)
            var attributes = ProtobufMessage()
            attributes.add(1, peer)
            attributes.add(4, request)
            for (key, value) in self.extensions { attributes.add(10, Self.entry(key, value)) }
            var message = ProtobufMessage()
            message.add(1, attributes)
            return message.bytes
        }

        private static func entry(_ key: String, _ value: String) -> ProtobufMessage {
            var entry = ProtobufMessage()
            entry.add(1, key)
            entry.add(2, value)
            return entry
        }

        func head(appField: String? = "x-app-id") throws -> [String] {
            let bytes = self.bytes
            let request = try EnvoyCheckRequest(bytes.span)
            let head = try request.head(in: bytes.span, appField: appField)
            return String(decoding: head, as: UTF8.self).components("\r\n")
        }
    }

    @Test func `the head has the method, the path, the host and all fields`() throws {
        var sample = Sample()
        sample.headers = [
            (":method", "GET"), (":path", "/a?b=c"), (":authority", "api.example"),
            ("x-app-version", "3.4,4.0"), ("accept", "*/*"),
        ]
        #expect(
            try sample.head() == [
                "GET /a?b=c HTTP/1.1", "host: api.example", "x-app-version: 3.4,4.0",
                "accept: */*", "x-forwarded-for: 203.0.113.9", "", "",
            ]
        )
    }

    @Test func `raw lines take the place of the joined ones`() throws {
        var sample = Sample()
        sample.headers = [("x-app-version", "9")]
        sample.rawHeaders = [("x-app-version", "3.4"), ("x-app-version", "4.0")]
        #expect(
            try sample.head().dropFirst(2) == [
                "x-app-version: 3.4", "x-app-version: 4.0", "x-forwarded-for: 203.0.113.9", "", "",
            ]
        )
    }

    @Test func `an address in a field takes precedence over the peer's`() throws {
        var sample = Sample()
        sample.headers = [("X-Forwarded-For", "198.51.100.1")]
        #expect(
            try sample.head().dropFirst(2) == ["X-Forwarded-For: 198.51.100.1", "", ""]
        )
    }

    @Test func `the route can state the app and a prefix of the path`() throws {
        var sample = Sample()
        sample.headers = [("x-app-id", "forged"), ("X-App-Id", "forged, too")]
        sample.extensions = [("path_prefix", "/shop"), ("app", "com.example.shop"), ("x", "y")]
        let head = try sample.head()
        #expect(head.first == "GET /shop/a?b=c HTTP/1.1")
        #expect(
            head.filter { $0.lowercased().hasPrefix("x-app-id") } == ["x-app-id: com.example.shop"]
        )
        #expect(try sample.head(appField: nil).contains("x-app-id: forged"))
    }

    @Test func `a WebSocket over HTTP/2 becomes a handshake`() throws {
        var sample = Sample()
        sample.method = "CONNECT"
        sample.version = "HTTP/2"
        sample.headers = [(":protocol", "websocket")]
        #expect(
            try sample.head().prefix(4) == [
                "GET /a?b=c HTTP/1.1", "host: api.example", "connection: upgrade",
                "upgrade: websocket",
            ]
        )
    }

    @Test func `an empty path becomes the root`() throws {
        var sample = Sample()
        sample.path = ""
        #expect(try sample.head().first == "GET / HTTP/1.1")
    }

    static let faults: [(Sample, MessageFault)] = [
        (Sample(method: ""), .method), (Sample(method: "GET /"), .method),
        (Sample(path: "/a b"), .target), (Sample(path: "/a\r\nx-app-version: 9"), .target),
        (Sample(host: "a\r\nb: c"), .host), (Sample(headers: [("a\r\nb", "c")]), .fieldName),
        (Sample(headers: [("a", "b\r\nx-app-version: 9")]), .fieldValue),
        (Sample(rawHeaders: [("a", "b\nc")]), .fieldValue),
        (Sample(extensions: [("app", "a\r\nb: c")]), .fieldValue),
        (Sample(extensions: [("path_prefix", "/a b")]), .target),
    ]

    @Test(arguments: faults)
    func `nothing in a message can become another line of the head`(
        sample: Sample,
        fault: MessageFault
    ) {
        #expect(throws: EnvoyCheckRequest.Fault.http(fault)) { try sample.head() }
    }

    @Test func `a truncated message is malformed`() throws {
        var sample = Sample()
        sample.headers = [("x-app-version", "3.4")]
        let bytes = sample.bytes
        for count in 1..<bytes.count {
            let part = Array(bytes[..<count])
            #expect(throws: EnvoyCheckRequest.Fault.malformed, "\(count)") {
                _ = try EnvoyCheckRequest(part.span)
            }
        }
    }

    @Test(
        arguments: [
            // Field number 0, a group, a wire type that does not exist, a number that does not end.
            [0x02, 0x00], [0x0B, 0x0C], [0x0E], [0x08] + Array(repeating: 0xFF, count: 11),
            // A length beyond the end.
            [0x0A, 0x05, 0x00], [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
        ] as [[UInt8]]
    )
    func `bytes in another format are malformed`(bytes: [UInt8]) {
        #expect(throws: EnvoyCheckRequest.Fault.malformed) {
            _ = try EnvoyCheckRequest(bytes.span)
        }
    }

    @Test func `unknown fields of all types are ignored`() throws {
        let sample = Sample()
        let unknown: [UInt8] = [
            0x78, 0x01, 0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7D, 1, 2, 3, 4, 0x7A, 1, 9,
        ]
        let bytes = unknown + sample.bytes + unknown
        let head = try EnvoyCheckRequest(bytes.span).head(in: bytes.span, appField: nil)
        #expect(String(decoding: head, as: UTF8.self).hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
    }
}

extension String {
    fileprivate func components(_ separator: Character) -> [String] {
        self.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
