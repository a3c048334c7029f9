import Testing

@testable import GateProxy

struct TraceContextTests {
    private static let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7")

    /// Returns the IDs in a value, as parsed by `parse`.
    private static func ids(
        _ text: String,
        _ parse: (Range<Int>, Span<UInt8>) -> TraceContext?
    ) -> [String]? {
        // The value is not at the start of the bytes.
        let bytes = Array("x: \(text)".utf8)
        let context = parse(3..<bytes.count, bytes.span)
        return context.map { context in
            [context.traceID, context.spanID].map { String(decoding: bytes[$0], as: UTF8.self) }
        }
    }

    @Test(arguments: [
        "00-\(Self.trace)-\(Self.span)-01", "00-\(Self.trace)-\(Self.span)-00",
        "01-\(Self.trace)-\(Self.span)-01", "cc-\(Self.trace)-\(Self.span)-01-what-follows",
    ])
    func `a valid traceparent has a trace`(_ text: String) {
        let ids = Self.ids(text) { TraceContext(traceparent: $0, in: $1) }
        #expect(ids == [Self.trace, Self.span])
    }

    @Test(arguments: [
        "", "00", "00-\(Self.trace)-\(Self.span)", "00-\(Self.trace)-\(Self.span)-0",
        "00-\(Self.trace)-\(Self.span)-01-more", "00-\(Self.trace)-\(Self.span)-0g",
        "ff-\(Self.trace)-\(Self.span)-01", "0-\(Self.trace)-\(Self.span)-001",
        "00-\(Self.trace.uppercased())-\(Self.span)-01", "01-\(Self.trace)-\(Self.span)-01x",
        "00-00000000000000000000000000000000-\(Self.span)-01",
        "00-\(Self.trace)-0000000000000000-01", "00_\(Self.trace)_\(Self.span)_01",
    ])
    func `an invalid traceparent has none`(_ text: String) {
        #expect(Self.ids(text) { TraceContext(traceparent: $0, in: $1) } == nil)
    }

    @Test(arguments: [
        ("\(Self.trace)-\(Self.span)", Self.trace), ("\(Self.trace)-\(Self.span)-1", Self.trace),
        ("\(Self.trace)-\(Self.span)-d-\(Self.span)", Self.trace),
        ("a3ce929d0e0e4736-\(Self.span)-0", "a3ce929d0e0e4736"),
    ])
    func `a valid b3 has a trace`(_ text: String, _ trace: String) {
        #expect(Self.ids(text) { TraceContext(b3: $0, in: $1) } == [trace, Self.span])
    }

    @Test(arguments: [
        "", "0", "1", "d", "-", "\(Self.trace)", "\(Self.trace)-", "\(Self.trace)-\(Self.span)1",
        "\(Self.trace.dropLast())-\(Self.span)", "\(Self.trace)-\(Self.span.dropLast())",
        "0000000000000000-\(Self.span)-1", "\(Self.trace)\(Self.span)",
    ])
    func `an invalid b3 has none`(_ text: String) {
        #expect(Self.ids(text) { TraceContext(b3: $0, in: $1) } == nil)
    }
}
