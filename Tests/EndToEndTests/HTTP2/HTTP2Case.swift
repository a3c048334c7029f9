import GateTestSupport
import Testing

/// Frames that test a rule of RFC 9113, and the expected outcome.
struct HTTP2Case: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// The connection ends with this code.
        case connection(UInt32)
        /// Stream 1 ends with this code, and the connection stays open.
        case stream(UInt32)
        /// Stream 1 gets a response.
        case status(Int)
        /// The frames have no effect, and the connection stays open.
        case ignored
    }

    /// The section of RFC 9113, or of another named document.
    var section: String
    var name: String
    var outcome: Outcome
    var frames: [HTTP2Frame]
    /// Bytes that replace the preface and the settings.
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

    /// A request with these fields after the usual ones.
    static func request(
        with fields: [HTTP2Fields.Field],
        ends: Bool = true
    ) -> HTTP2Frame {
        .headers(1, HTTP2Fields.request("GET", "/", fields), ends: ends)
    }

    /// A request with only these fields.
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
