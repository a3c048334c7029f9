package import NIOCore

/// A request head together with the bytes that its positions refer to.
package struct ReceivedHead: Equatable, Sendable {
    package let head: RequestHead
    package let bytes: ByteBuffer

    package init(_ head: RequestHead, bytes: ByteBuffer) {
        self.head = head
        self.bytes = bytes
    }

    /// Copies the bytes of `head` from the buffer that it was parsed from.
    package init(_ head: RequestHead, in bytes: Span<UInt8>) {
        var copy = ByteBuffer()
        copy.write(bytes, from: 0, to: head.end)
        self.init(head, bytes: copy)
    }

    /// Returns the head with its field roles looked up in another table.
    ///
    /// This is necessary after the rules have changed, because they define the identity fields.
    package func head(by table: FieldNameTable) -> RequestHead {
        var head = self.head
        head.fields.updateIdentityRoles(in: self.bytes.readableBytesUInt8Span, by: table)
        return head
    }
}
