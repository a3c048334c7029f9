import GateTestSupport

extension HTTP2Case {
    /// Unusual or late frames that are allowed, and similar ones that are not.
    static let allowed: [HTTP2Case] = [
        HTTP2Case(
            "4.2",
            "a frame of the maximum size",
            .status(200),
            .request(ends: false),
            .data(1, Array(repeating: 0, count: 16_384), ends: true)
        ),
        HTTP2Case(
            "5.1",
            "WINDOW_UPDATE and PRIORITY after the end of a request",
            .status(200),
            .request(),
            .window(1, 9),
            HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 9])
        ),
        HTTP2Case(
            "5.1",
            "PRIORITY after a reset",
            .ignored,
            .request(ends: false),
            .reset(1),
            HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 9])
        ),
        HTTP2Case(
            "5.1",
            "a reset after the end of a request",
            .ignored,
            .request(with: [("x-wait", "1")]),
            .reset(1)
        ),
        HTTP2Case(
            "5.5",
            "a frame of an unknown type within a header block",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), flags: 0),
            HTTP2Frame(kind: 0xFA, flags: 0, stream: 0, payload: [1])
        ),
        HTTP2Case(
            "6.5.3",
            "the same setting twice",
            .status(200),
            RawHTTP2Client.settings([(4, 100), (4, 65_535)]),
            .request()
        ),
        HTTP2Case(
            "6.7",
            "an acknowledgment without a ping",
            .ignored,
            HTTP2Frame(.ping, flags: HTTP2Frame.acknowledgement, Array(1...8))
        ),
        HTTP2Case(
            "6.10",
            "CONTINUATION after DATA",
            .connection(protocolError),
            .request(ends: false),
            .data(1, [1]),
            HTTP2Frame(.continuation, flags: HTTP2Frame.endHeaders, stream: 1)
        ),
        HTTP2Case(
            "7",
            "a reset with an unknown code",
            .ignored,
            .request(ends: false),
            HTTP2Frame(.resetStream, stream: 1, [0, 0, 0, 0xFF])
        ),
        HTTP2Case(
            "8.1.1",
            "less data than declared, in two frames",
            .stream(protocolError),
            .request(with: [("content-length", "9")], ends: false),
            .data(1, [1, 2]),
            .data(1, [3, 4], ends: true)
        ),
        HTTP2Case(
            "8.3",
            "two schemes",
            .stream(protocolError),
            .request(with: [(":scheme", "http")])
        ),
        HTTP2Case(
            "8.3",
            "two paths",
            .stream(protocolError),
            .request(with: [(":path", "/")])
        ),
        HTTP2Case(
            "RFC 7541 2.3.3",
            "a name index without an entry",
            .connection(compression),
            .headers(1, [0x7F, 0x20, 1, 0x61])
        ),
        HTTP2Case(
            "RFC 7541 5.2",
            "Huffman padding with zeros",
            .connection(compression),
            .headers(1, [0, 0x81, 0x18, 1, 0x61])
        ),
        HTTP2Case(
            "RFC 7541 5.2",
            "EOS within a string",
            .connection(compression),
            .headers(1, [0, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0x61])
        ),
        HTTP2Case(
            "RFC 7541 6.3",
            "two table size updates",
            .status(200),
            .headers(1, [0x20, 0x3F, 0x01] + HTTP2Fields.request())
        ),
    ]
}
