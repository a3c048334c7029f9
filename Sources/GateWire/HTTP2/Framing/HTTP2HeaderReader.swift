package import NIOCore

/// Reads the header blocks of a peer, in the order in which they come: later ones refer to what
/// stands in earlier ones (RFC 7541 2.2).
package struct HTTP2HeaderReader {
    private var decoder = HPACKDecoder(names: .response)
    /// The fields of the last block.
    package var fields = HeaderList()
    private let limit: Int

    /// `limit`: bytes of the fields that are kept.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Reads a block; `names`: tells its fields apart.
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
