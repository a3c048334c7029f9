import GateTestSupport

extension HTTP2Case {
    private static let method = (name: ":method", value: "GET")
    private static let scheme = (name: ":scheme", value: "http")
    private static let path = (name: ":path", value: "/")
    private static let authority = (name: ":authority", value: "gate")
    private static let usual = [method, scheme, path, authority]

    private static func malformed(
        _ section: String,
        _ name: String,
        _ frames: HTTP2Frame...
    ) -> HTTP2Case {
        var sample = HTTP2Case(section, name, .stream(self.protocolError))
        sample.frames = frames
        return sample
    }

    private static let connect = (name: ":method", value: "CONNECT")
    private static let webSocket = (name: ":protocol", value: "websocket")
    private static let handshake = [connect, webSocket, scheme, path, authority]

    /// WebSockets: RFC 8441.
    static let webSockets: [HTTP2Case] = [
        malformed("RFC 8441 4", "GET with a protocol", .request(of: usual + [webSocket])),
        malformed("RFC 8441 4", "no scheme", .request(of: [connect, webSocket, path, authority])),
        malformed("RFC 8441 4", "no path", .request(of: [connect, webSocket, scheme, authority])),
        malformed(
            "RFC 8441 4",
            "neither scheme nor path",
            .request(of: [connect, webSocket, authority])
        ),
        malformed(
            "RFC 8441 4",
            "another scheme",
            .request(of: [connect, webSocket, (":scheme", "wss"), path, authority])
        ),
        malformed("RFC 8441 4", "two protocols", .request(of: handshake + [webSocket])),
        malformed(
            "RFC 8441 4",
            "an empty protocol",
            .request(of: [connect] + usual.dropFirst() + [(":protocol", "")])
        ),
        malformed(
            "RFC 8441 4",
            "a protocol that is not a token",
            .request(of: [connect] + usual.dropFirst() + [(":protocol", "web\r\nsocket")])
        ),
        malformed(
            "RFC 8441 4",
            "a protocol after a field",
            .request(of: [connect] + usual.dropFirst() + [("x", "1"), webSocket])
        ),
        malformed(
            "RFC 8441 5",
            "an Upgrade field",
            .request(of: handshake + [("upgrade", "websocket")])
        ),
        malformed(
            "RFC 9113 8.1.1",
            "a Content-Length",
            .request(of: handshake + [("content-length", "0")])
        ),
        malformed(
            "RFC 9113 8.5",
            "trailers",
            .headers(1, HTTP2Fields.block(handshake + [("x-wait", "1")]), ends: false),
            .headers(1, HTTP2Fields.block([("x", "1")]))
        ),
        HTTP2Case(
            "RFC 9220 3",
            "another protocol",
            .status(501),
            .request(of: [connect] + usual.dropFirst() + [(":protocol", "connect-udp")])
        ),
        HTTP2Case(
            "RFC 8441 4",
            "no authority",
            .status(400),
            .request(of: [connect, webSocket, scheme, path])
        ),
        HTTP2Case(
            "RFC 8441 5",
            "a backend that ignores the upgrade",
            .status(502),
            .request(of: handshake)
        ),
    ]

    /// HTTP messages in frames: section 8.
    static let messages: [HTTP2Case] = [
        malformed(
            "8.1",
            "trailers that do not end the request",
            .request(ends: false),
            .headers(1, HTTP2Fields.block([("x", "1")]), ends: false)
        ),
        malformed(
            "8.1",
            "trailers with a pseudo-header field",
            .request(ends: false),
            .headers(1, HTTP2Fields.block([(":method", "GET")]))
        ),
        malformed(
            "8.1.1",
            "more data than declared",
            .request(with: [("content-length", "1")], ends: false),
            .data(1, [1, 2])
        ),
        malformed(
            "8.1.1",
            "less data than declared",
            .request(with: [("content-length", "3")], ends: false),
            .data(1, [1, 2], ends: true)
        ),
        malformed("8.1.1", "a length without data", .request(with: [("content-length", "3")])),
        malformed(
            "8.1.1",
            "two lengths",
            .request(with: [("content-length", "0"), ("content-length", "0")])
        ),
        malformed(
            "8.1.1",
            "a length that is not a number",
            .request(with: [("content-length", "+1")])
        ),
        malformed(
            "8.1.1",
            "trailers before the declared end",
            .request(with: [("content-length", "3")], ends: false),
            .headers(1, HTTP2Fields.block([("x", "1")]))
        ),
        malformed("8.2.1", "a name in upper case", .request(with: [("X-Test", "ok")])),
        malformed("8.2.1", "an empty name", .request(with: [("", "ok")])),
        malformed("8.2.1", "a name with a blank", .request(with: [("x test", "ok")])),
        malformed("8.2.1", "a name with a colon", .request(with: [("x:y", "ok")])),
        malformed("8.2.1", "a name beyond ASCII", .request(with: [("x\u{e9}", "ok")])),
        malformed("8.2.1", "NUL in a value", .request(with: [("x", "a\0b")])),
        malformed("8.2.1", "CR in a value", .request(with: [("x", "a\rb")])),
        malformed("8.2.1", "LF in a value", .request(with: [("x", "a\nHost: b")])),
        malformed("8.2.1", "a blank before a value", .request(with: [("x", " a")])),
        malformed("8.2.1", "a tab after a value", .request(with: [("x", "a\t")])),
        malformed("8.2.2", "connection", .request(with: [("connection", "close")])),
        malformed("8.2.2", "keep-alive", .request(with: [("keep-alive", "1")])),
        malformed("8.2.2", "proxy-connection", .request(with: [("proxy-connection", "1")])),
        malformed("8.2.2", "upgrade", .request(with: [("upgrade", "websocket")])),
        malformed("8.2.2", "transfer-encoding", .request(with: [("transfer-encoding", "chunked")])),
        malformed("8.2.2", "te without trailers", .request(with: [("te", "gzip")])),
        malformed("8.2.2", "te with another coding", .request(with: [("te", "trailers, deflate")])),
        HTTP2Case(
            "8.2.2",
            "te with trailers",
            .status(200),
            .request(with: [("te", "trailers")])
        ),
        malformed("8.3", "an unknown pseudo-header field", .request(of: usual + [(":test", "1")])),
        malformed(
            "8.3",
            "a pseudo-header field of a response",
            .request(of: usual + [(":status", "200")])
        ),
        malformed(
            "8.3",
            "a pseudo-header field after a field",
            .request(of: [method, scheme, ("x", "1"), path])
        ),
        malformed("8.3", "two methods", .request(of: usual + [method])),
        malformed("8.3.1", "no method", .request(of: [scheme, path, authority])),
        malformed("8.3.1", "no scheme", .request(of: [method, path, authority])),
        malformed("8.3.1", "no path", .request(of: [method, scheme, authority])),
        malformed(
            "8.3.1",
            "an empty path",
            .request(of: [method, scheme, (":path", ""), authority])
        ),
        malformed(
            "8.3.1",
            "a path without a slash",
            .request(of: [method, scheme, (":path", "a"), authority])
        ),
        malformed(
            "8.3.1",
            "a path in absolute form",
            .request(of: [method, scheme, (":path", "http://other/"), authority])
        ),
        malformed(
            "8.3.1",
            "a path with a blank",
            .request(of: [method, scheme, (":path", "/ HTTP/1.1"), authority])
        ),
        malformed(
            "8.3.1",
            "a path with a line end",
            .request(of: [method, scheme, (":path", "/\r\nx: y"), authority])
        ),
        malformed(
            "8.3.1",
            "an asterisk for GET",
            .request(of: [method, scheme, (":path", "*"), authority])
        ),
        HTTP2Case(
            "8.3.1",
            "an asterisk for OPTIONS",
            .status(200),
            .request(of: [(":method", "OPTIONS"), scheme, (":path", "*"), authority])
        ),
        malformed(
            "8.3.1",
            "a method that is not a token",
            .request(of: [(":method", "G T"), scheme, path, authority])
        ),
        malformed(
            "8.3.1",
            "an empty method",
            .request(of: [(":method", ""), scheme, path, authority])
        ),
        malformed(
            "8.3.1",
            "another scheme",
            .request(of: [method, (":scheme", "ftp"), path, authority])
        ),
        malformed(
            "8.3.1",
            "an authority with a user",
            .request(of: [method, scheme, path, (":authority", "user@gate")])
        ),
        malformed(
            "8.3.1",
            "an authority with a line end",
            .request(of: [method, scheme, path, (":authority", "gate\r\nx: y")])
        ),
        malformed(
            "8.3.1",
            "a host that differs from the authority",
            .request(with: [("host", "other")])
        ),
        malformed(
            "8.3.1",
            "an empty host",
            .request(of: [method, scheme, path, ("host", "")])
        ),
        malformed(
            "8.3.1",
            "two hosts",
            .request(of: [method, scheme, path, ("host", "a"), ("host", "a")])
        ),
        HTTP2Case(
            "8.3.1",
            "a host that equals the authority",
            .status(200),
            .request(with: [("host", "GATE")])
        ),
        HTTP2Case(
            "8.3.1",
            "a host without an authority",
            .status(200),
            .request(of: [method, scheme, path, ("host", "gate")])
        ),
        HTTP2Case(
            "8.3.1",
            "neither host nor authority",
            .status(400),
            .request(of: [method, scheme, path])
        ),
        HTTP2Case(
            "8.5",
            "CONNECT",
            .status(501),
            .request(of: [(":method", "CONNECT"), (":authority", "gate:443")])
        ),
        malformed("8.5", "CONNECT with a path", .request(of: [(":method", "CONNECT"), path])),
        HTTP2Case(
            "RFC 7541 4.2",
            "a table that is too large",
            .connection(compression),
            .headers(1, [0x3F, 0xE2, 0x1F] + HTTP2Fields.request())
        ),
        HTTP2Case(
            "RFC 7541 4.2",
            "a table size update after a field",
            .connection(compression),
            .headers(1, HTTP2Fields.request() + [0x20])
        ),
        HTTP2Case(
            "RFC 7541 5.2",
            "padding that is too long",
            .connection(compression),
            .headers(1, [0, 0x82, 0x1F, 0xFF, 0])
        ),
        HTTP2Case("RFC 7541 6.1", "index zero", .connection(compression), .headers(1, [0x80])),
        HTTP2Case(
            "RFC 7541 6.1",
            "an index without an entry",
            .connection(compression),
            .headers(1, [0xC6])
        ),
    ]
}
