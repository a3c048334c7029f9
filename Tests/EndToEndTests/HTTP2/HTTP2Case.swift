import GateTestSupport
import Testing

/// Frames that break a rule of RFC 9113, and what must come of it.
struct HTTP2Case: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// The connection is ended with this code.
        case connection(UInt32)
        /// Stream 1 is ended with this code, and the connection goes on.
        case stream(UInt32)
        /// Stream 1 is answered.
        case status(Int)
        /// Nothing comes of it: the connection goes on.
        case ignored
    }

    /// The section of RFC 9113, or of another document if it says so.
    var section: String
    var name: String
    var outcome: Outcome
    var frames: [HTTP2Frame]
    /// Bytes that are sent in place of the preface and the settings.
    var opening: [UInt8]?

    var testDescription: String { "\(self.section) \(self.name)" }

    init(
        _ section: String,
        _ name: String,
        _ outcome: Outcome,
        opening: [UInt8]? = nil,
        _ frames: HTTP2Frame...
    ) {
        self.section = section
        self.name = name
        self.outcome = outcome
        self.opening = opening
        self.frames = frames
    }

    static let protocolError: UInt32 = 1
    static let flowControl: UInt32 = 3
    static let closed: UInt32 = 5
    static let frameSize: UInt32 = 6
    static let compression: UInt32 = 9
    static let calm: UInt32 = 11
}

extension HTTP2Frame {
    /// A request without a body.
    static func request(_ stream: UInt32 = 1, ends: Bool = true) -> HTTP2Frame {
        .headers(stream, HTTP2Fields.request(), ends: ends)
    }

    static func headers(
        _ stream: UInt32 = 1,
        _ block: [UInt8],
        ends: Bool = true,
        flags: UInt8 = HTTP2Frame.endHeaders
    ) -> HTTP2Frame {
        HTTP2Frame(.headers, flags: flags | (ends ? Self.endStream : 0), stream: stream, block)
    }

    /// A request with these fields behind those that every request has.
    static func request(
        with fields: [HTTP2Fields.Field],
        ends: Bool = true
    ) -> HTTP2Frame {
        .headers(1, HTTP2Fields.request("GET", "/", fields), ends: ends)
    }

    /// A request with nothing but these fields.
    static func request(of fields: [HTTP2Fields.Field]) -> HTTP2Frame {
        .headers(1, HTTP2Fields.block(fields))
    }

    static func data(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) -> HTTP2Frame {
        HTTP2Frame(.data, flags: ends ? Self.endStream : 0, stream: stream, bytes)
    }

    static func window(_ stream: UInt32, _ increment: UInt32) -> HTTP2Frame {
        HTTP2Frame(.windowUpdate, stream: stream, Self.big(increment))
    }

    static func reset(_ stream: UInt32) -> HTTP2Frame {
        HTTP2Frame(.resetStream, stream: stream, Self.big(8))
    }
}
