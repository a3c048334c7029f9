import GatePolicy
import Testing

@testable import GateCensus

/// The fields of new clients, which are stored until the next fetch.
struct ClientFieldBufferTests {
    /// Adds a client with a header of this many bytes, and returns the range of its fields.
    private static func add(_ count: Int, to buffer: inout ClientFieldBuffer) -> Range<Int>? {
        let value = [UInt8](repeating: UInt8(ascii: "1"), count: count)
        return buffer.append { ClientFieldBuffer.writeHeader(at: 0, value.span, to: &$0) }
    }

    @Test func `fields above the limit are dropped whole`() {
        var buffer = ClientFieldBuffer()
        #expect(Self.add(2, to: &buffer) == 0..<5)
        // Each line has three bytes besides its value, and the limit is 1,024 bytes.
        #expect(Self.add(1_022, to: &buffer) == nil)
        #expect(buffer.count == 5)
        #expect(Self.add(1_021, to: &buffer) == 5..<1_029)
        let both = buffer.append { output in
            ClientFieldBuffer.writeHeader(at: 0, [1].span, to: &output)
                && ClientFieldBuffer.writeQuery(at: 128, [1], to: &output)
        }
        #expect(both == nil)
        #expect(buffer.count == 1_029)
    }
}
