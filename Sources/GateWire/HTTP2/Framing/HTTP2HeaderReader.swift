package import NIOCore

/// A decoder for the header blocks from a peer.
///
/// Blocks must be decoded in order, because they can refer to fields in earlier blocks (RFC 7541
/// section 2.2).
package struct HTTP2HeaderReader {
    private var decoder = HPACKDecoder(names: .response)
    /// The fields of the last decoded block.
    package var fields = HeaderList()
    private let limit: Int

    /// Creates a reader that keeps at most `limit` bytes of fields.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Decodes a block; `names` determines the roles of its fields.
    package mutating func read(_ block: ByteBuffer, names: FieldNameTable) throws(HTTP2ErrorCode) {
        self.fields.removeAll()
        self.decoder.use(names)
        do throws(HPACKFault) {
            try self.decoder.decode(
                block.readableBytesUInt8Span,
                into: &self.fields,
                limit: self.limit
            )
        } catch {
            throw .compressionError
        }
    }
}
