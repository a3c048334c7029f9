import NIOCore

/// The header block of a response from the gate, rendered in advance.
///
/// `content-length` and `date` are not included.
package struct HTTP2AnswerBlock: Equatable, Sendable {
    private let bytes: [UInt8]
    /// Whether the response is for a gRPC call.
    package let isCall: Bool

    /// Renders a block from the head of an HTTP/1.1 response.
    ///
    /// `text` contains the status line, which is skipped, and the field lines, but not the empty line.
    package init(status: Int, _ text: [UInt8]) {
        var count = 0
        var isCall = false
        let bytes = text.span
        bytes.forEachFieldLine { line in
            count += 1
            isCall = isCall || HTTP2ResponseBlock.isCallStatus(line, in: bytes)
        }
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: count, bytes: text.count) { block in
            HPACKWriter.writeStatus(status, into: &block)
            bytes.forEachFieldLine { line in
                switch line.role {
                case .connection, .upgrade, .transferEncoding, .contentLength: break
                default: HPACKWriter.writeField(bytes, line, into: &block)
                }
            }
        }
        self.bytes = Array(block.readableBytesView)
        self.isCall = isCall
    }

    /// Writes the block, followed by `content-length` unless `length` is `nil`, and by the date.
    ///
    /// `date` contains the `date` field as a header block.
    package func write(length: Int?, _ date: [UInt8], into block: inout OutputRawSpan) {
        block.writeBytes(self.bytes)
        if let length { HPACKWriter.writeLength(length, into: &block) }
        block.writeBytes(date)
    }

    /// Returns the maximum number of bytes of the block with this date.
    package func maxCount(_ date: [UInt8]) -> Int {
        self.bytes.count + date.count + HPACKWriter.lengthFieldSpace
    }
}
