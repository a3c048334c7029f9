package import NIOCore

/// A request head that is kept, with the bytes that its places are in.
package struct ReceivedHead: Equatable, Sendable {
    package let head: RequestHead
    package let bytes: ByteBuffer

    package init(_ head: RequestHead, bytes: ByteBuffer) {
        self.head = head
        self.bytes = bytes
    }

    /// Copies what `head` consists of out of the bytes that it was read from.
    package init(_ head: RequestHead, in bytes: Span<UInt8>) {
        var copy = ByteBuffer()
        copy.write(bytes, from: 0, to: head.end)
        self.init(head, bytes: copy)
    }

    /// The same head, read with another table: what tells who the client is depends on the rules.
    package func head(by table: FieldNameTable) -> RequestHead {
        var head = self.head
        head.fields.updateIdentityRoles(in: self.bytes.readableBytesUInt8Span, by: table)
        return head
    }
}
