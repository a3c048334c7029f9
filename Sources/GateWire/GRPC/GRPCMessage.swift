/// The framing of messages in a gRPC call (gRPC over HTTP/2, "Length-Prefixed-Message").
package enum GRPCMessage {
    /// The size in bytes of the prefix, which contains the compression flag and the length of the message.
    package static let prefixCount = 5

    package enum Fault: Error, Equatable {
        /// The content is not exactly one message.
        case malformed
        /// The message is compressed, although the gate accepts no compression.
        case compressed
    }

    /// Returns the range of the message in the content of a unary call, which must contain exactly one.
    package static func only(in content: Span<UInt8>) throws(Fault) -> Range<Int> {
        guard content.count >= Self.prefixCount else { throw .malformed }
        guard content[0] == 0 else { throw .compressed }
        var count = 0
        for index in 1..<Self.prefixCount { count = count << 8 | Int(content[index]) }
        guard content.count == Self.prefixCount + count else { throw .malformed }
        return Self.prefixCount..<content.count
    }

    /// Returns the prefix of a message of `count` bytes.
    package static func prefix(count: Int) -> [UInt8] {
        [0] + (0..<4).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }
}

/// The gRPC status codes that the gate sends (gRPC, "Status codes").
package enum GRPCStatus: Int {
    case ok = 0
    case invalidArgument = 3
    case resourceExhausted = 8
    case unimplemented = 12
}
