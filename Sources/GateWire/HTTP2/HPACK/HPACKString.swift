import GatePolicy

/// The reason why a header block cannot be decoded.
///
/// Each of these faults is a connection error (`COMPRESSION_ERROR`, RFC 9113 section 4.3).
package enum HPACKFault: Error, Equatable {
    case truncated
    case integerTooLarge
    case unknownIndex
    case huffman
    case tableSize
    /// A dynamic table size update follows a field (RFC 7541 section 4.2).
    case misplacedTableSize
}

/// The position and the encoding of a string literal in a header block (RFC 7541 section 5.2).
struct HPACKString {
    let start: Int
    let end: Int
    let isHuffmanCoded: Bool

    /// The maximum length of the decoded string in bytes; each Huffman code has at least five bits.
    var maxCount: Int {
        let count = self.end - self.start
        return self.isHuffmanCoded ? count * 8 / 5 : count
    }

    /// Decodes and writes the string, at most `maxCount` bytes.
    @inline(__always)
    func write(
        _ bytes: Span<UInt8>,
        into output: inout OutputSpan<UInt8>
    ) throws(HPACKFault) {
        guard self.isHuffmanCoded else {
            return output.append(bytes.extracting(self.start..<self.end))
        }
        guard HuffmanCode.decode(bytes, from: self.start, to: self.end, into: &output) else {
            throw .huffman
        }
    }
}
