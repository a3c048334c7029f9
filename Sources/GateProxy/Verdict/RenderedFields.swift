package import GatePolicy
import GateWire
import NIOCore

/// Header fields added by the gate, rendered once for each HTTP version.
package struct RenderedFields: Equatable, Sendable {
    /// The HTTP/1.1 field lines.
    package let text: [UInt8]
    /// The same fields as an HTTP/2 header block.
    package let block: [UInt8]

    static let none = RenderedFields([])

    package init(_ fields: [HeaderField]) {
        self.text = RenderedAnswer.lines(fields)
        guard !fields.isEmpty else {
            self.block = []
            return
        }
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: fields.count, bytes: self.text.count) { block in
            for field in fields {
                let name = Array(field.name.utf8)
                let valueCount = field.value.utf8.count
                HPACKWriter.beginField(name.span, valueCount: valueCount, into: &block)
                block.writeString(field.value)
            }
        }
        self.block = Array(block.readableBytesView)
    }
}
