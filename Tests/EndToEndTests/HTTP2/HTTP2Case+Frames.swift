import GateTestSupport

extension HTTP2Case {
    /// Frames, streams and flow control: sections 3 to 6.
    static let frames: [HTTP2Case] = [
        HTTP2Case(
            "3.4",
            "no SETTINGS after the preface",
            .connection(protocolError),
            opening: RawHTTP2Client.preface,
            .request()
        ),
        HTTP2Case(
            "3.4",
            "an acknowledgment instead of SETTINGS",
            .connection(protocolError),
            opening: RawHTTP2Client.preface,
            HTTP2Frame(.settings, flags: 1)
        ),
        HTTP2Case(
            "4.1",
            "a frame of an unknown type",
            .status(200),
            HTTP2Frame(kind: 0xFA, flags: 0xFF, stream: 0, payload: [1, 2]),
            .request()
        ),
        HTTP2Case(
            "4.1",
            "undefined flags",
            .status(200),
            HTTP2Frame(.ping, flags: 0xFE, Array(repeating: 0, count: 8)),
            .request()
        ),
        HTTP2Case(
            "4.1",
            "the reserved bit",
            .status(200),
            HTTP2Frame(kind: 6, flags: 0, stream: 0x8000_0000, payload: Array(1...8)),
            .request()
        ),
        HTTP2Case(
            "4.2",
            "DATA above the maximum frame size",
            .connection(frameSize),
            .request(ends: false),
            .data(1, Array(repeating: 0, count: 16_385))
        ),
        HTTP2Case(
            "4.2",
            "HEADERS above the maximum frame size",
            .connection(frameSize),
            .headers(1, Array(repeating: 0, count: 16_385))
        ),
        HTTP2Case(
            "4.3",
            "an invalid header block",
            .connection(compression),
            .headers(1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        ),
        HTTP2Case(
            "4.3",
            "another frame within a header block",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), flags: 0),
            .window(0, 1)
        ),
        HTTP2Case(
            "4.3",
            "CONTINUATION on another stream",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), flags: 0),
            HTTP2Frame(.continuation, flags: endHeaders, stream: 3)
        ),
        HTTP2Case(
            "4.3",
            "another request within a header block",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), flags: 0),
            .request(3)
        ),
        HTTP2Case("5.1", "data on an idle stream", .connection(protocolError), .data(1, [1])),
        HTTP2Case("5.1", "a reset of an idle stream", .connection(protocolError), .reset(1)),
        HTTP2Case(
            "5.1",
            "WINDOW_UPDATE on an idle stream",
            .connection(protocolError),
            .window(1, 9)
        ),
        HTTP2Case(
            "5.1",
            "CONTINUATION without HEADERS",
            .connection(protocolError),
            HTTP2Frame(.continuation, flags: endHeaders, stream: 1, HTTP2Fields.request())
        ),
        HTTP2Case(
            "5.1",
            "DATA after the end of a request",
            .stream(closed),
            .request(with: [("x-wait", "1")]),
            .data(1, [1])
        ),
        HTTP2Case(
            "5.1",
            "HEADERS after the end of a request",
            .stream(closed),
            .request(with: [("x-wait", "1")]),
            .request(1)
        ),
        HTTP2Case(
            "5.1",
            "DATA after a reset",
            .stream(closed),
            .request(ends: false),
            .reset(1),
            .data(1, [1])
        ),
        HTTP2Case(
            "5.1",
            "HEADERS after a reset",
            .connection(closed),
            .request(ends: false),
            .reset(1),
            .request(1)
        ),
        HTTP2Case(
            "5.1",
            "CONTINUATION after the end of a request",
            .connection(protocolError),
            .request(),
            HTTP2Frame(.continuation, flags: endHeaders, stream: 1)
        ),
        HTTP2Case("5.1.1", "an even stream ID", .connection(protocolError), .request(2)),
        HTTP2Case(
            "5.1.1",
            "a stream below the last one",
            .connection(closed),
            .request(5),
            .request(3)
        ),
        HTTP2Case(
            "5.3.1",
            "a stream that depends on itself",
            .connection(protocolError),
            HTTP2Frame(.priority, stream: 1, [0, 0, 0, 1, 0])
        ),
        HTTP2Case(
            "5.3.1",
            "a request that depends on itself",
            .connection(protocolError),
            HTTP2Frame(
                .headers,
                flags: endHeaders | HTTP2Frame.hasPriority,
                stream: 1,
                [0, 0, 0, 1, 0] + HTTP2Fields.request()
            )
        ),
        HTTP2Case("6.1", "data on stream 0", .connection(protocolError), .data(0, [1])),
        HTTP2Case(
            "6.1",
            "padding longer than the payload",
            .connection(protocolError),
            .request(ends: false),
            HTTP2Frame(.data, flags: HTTP2Frame.padded, stream: 1, [6, 1, 2, 3, 4, 5])
        ),
        HTTP2Case(
            "6.1",
            "padding does not count as content",
            .status(200),
            .request(with: [("content-length", "1")], ends: false),
            HTTP2Frame(
                .data,
                flags: HTTP2Frame.padded | HTTP2Frame.endStream,
                stream: 1,
                [3, 1, 0, 0, 0]
            )
        ),
        HTTP2Case("6.2", "headers on stream 0", .connection(protocolError), .request(0)),
        HTTP2Case(
            "6.2",
            "padding longer than the payload",
            .connection(protocolError),
            HTTP2Frame(.headers, flags: endHeaders | HTTP2Frame.padded, stream: 1, [9, 0x82])
        ),
        HTTP2Case(
            "6.2",
            "padding and priority",
            .status(200),
            HTTP2Frame(
                .headers,
                flags: endHeaders | HTTP2Frame.endStream | HTTP2Frame.padded
                    | HTTP2Frame.hasPriority,
                stream: 1,
                [2, 0, 0, 0, 0, 7] + HTTP2Fields.request() + [0, 0]
            )
        ),
        HTTP2Case(
            "6.3",
            "a priority on stream 0",
            .connection(protocolError),
            HTTP2Frame(.priority, [0, 0, 0, 1, 0])
        ),
        HTTP2Case(
            "6.3",
            "PRIORITY with an invalid length",
            .connection(frameSize),
            HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0])
        ),
        HTTP2Case(
            "6.3",
            "PRIORITY on an idle stream",
            .status(200),
            HTTP2Frame(.priority, stream: 9, [0, 0, 0, 1, 0]),
            .request()
        ),
        HTTP2Case("6.4", "a reset on stream 0", .connection(protocolError), .reset(0)),
        HTTP2Case(
            "6.4",
            "RST_STREAM with an invalid length",
            .connection(frameSize),
            .request(ends: false),
            HTTP2Frame(.resetStream, stream: 1, [0, 0, 0])
        ),
        HTTP2Case(
            "6.5",
            "an acknowledgment with a payload",
            .connection(frameSize),
            HTTP2Frame(.settings, flags: 1, [0])
        ),
        HTTP2Case(
            "6.5",
            "settings on a stream",
            .connection(protocolError),
            HTTP2Frame(.settings, stream: 1)
        ),
        HTTP2Case(
            "6.5",
            "SETTINGS with an invalid length",
            .connection(frameSize),
            HTTP2Frame(.settings, [0, 3, 0])
        ),
        HTTP2Case(
            "6.5.2",
            "ENABLE_PUSH other than 0 and 1",
            .connection(protocolError),
            RawHTTP2Client.settings([(2, 2)])
        ),
        HTTP2Case(
            "6.5.2",
            "a window that is too large",
            .connection(flowControl),
            RawHTTP2Client.settings([(4, 0x8000_0000)])
        ),
        HTTP2Case(
            "6.5.2",
            "a frame size that is too small",
            .connection(protocolError),
            RawHTTP2Client.settings([(5, 16_383)])
        ),
        HTTP2Case(
            "6.5.2",
            "a frame size that is too large",
            .connection(protocolError),
            RawHTTP2Client.settings([(5, 16_777_216)])
        ),
        HTTP2Case(
            "6.5.2",
            "an unknown setting",
            .status(200),
            RawHTTP2Client.settings([(0xFF, 1)]),
            .request()
        ),
        HTTP2Case(
            "6.6",
            "a push by a client",
            .connection(protocolError),
            HTTP2Frame(.pushPromise, flags: endHeaders, stream: 1, [0, 0, 0, 2])
        ),
        HTTP2Case(
            "6.7",
            "a ping on a stream",
            .connection(protocolError),
            HTTP2Frame(.ping, stream: 1, Array(repeating: 0, count: 8))
        ),
        HTTP2Case(
            "6.7",
            "PING with an invalid length",
            .connection(frameSize),
            HTTP2Frame(.ping, [0, 0, 0, 0, 0, 0])
        ),
        HTTP2Case(
            "6.8",
            "GOAWAY on a stream",
            .connection(protocolError),
            HTTP2Frame(.goAway, stream: 1, Array(repeating: 0, count: 8))
        ),
        HTTP2Case(
            "6.9",
            "WINDOW_UPDATE of 0 on the connection",
            .connection(protocolError),
            .window(0, 0)
        ),
        HTTP2Case(
            "6.9",
            "WINDOW_UPDATE of 0 on a stream",
            .stream(protocolError),
            .request(ends: false),
            .window(1, 0)
        ),
        HTTP2Case(
            "6.9",
            "WINDOW_UPDATE with an invalid length",
            .connection(frameSize),
            HTTP2Frame(.windowUpdate, [0, 0, 1])
        ),
        HTTP2Case(
            "6.9.1",
            "a connection window above the maximum",
            .connection(flowControl),
            .window(0, 0x7FFF_FFFF)
        ),
        HTTP2Case(
            "6.9.1",
            "a stream window above the maximum",
            .stream(flowControl),
            .request(ends: false),
            .window(1, 0x7FFF_FFFF)
        ),
        HTTP2Case(
            "6.9.2",
            "SETTINGS that raise a stream window above the maximum",
            .connection(flowControl),
            .request(ends: false),
            .window(1, 0x7000_0000),
            RawHTTP2Client.settings([(4, 0x7000_0000)])
        ),
        HTTP2Case(
            "6.10",
            "CONTINUATION after END_HEADERS",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), ends: false),
            HTTP2Frame(.continuation, flags: endHeaders, stream: 1, [])
        ),
        HTTP2Case(
            "6.10",
            "a continuation on stream 0",
            .connection(protocolError),
            .headers(1, HTTP2Fields.request(), flags: 0),
            HTTP2Frame(.continuation, flags: endHeaders, stream: 0, [])
        ),
        HTTP2Case(
            "6.10",
            "a header block in three frames",
            .status(200),
            .headers(1, Array(HTTP2Fields.request().prefix(5)), flags: 0),
            HTTP2Frame(.continuation, stream: 1, []),
            HTTP2Frame(
                .continuation,
                flags: endHeaders,
                stream: 1,
                Array(HTTP2Fields.request().dropFirst(5))
            )
        ),
    ]

    private static let endHeaders = HTTP2Frame.endHeaders
}
