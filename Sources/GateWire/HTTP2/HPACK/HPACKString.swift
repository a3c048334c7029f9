import GatePolicy

/// Why a header block cannot be read: a `COMPRESSION_ERROR` of the connection (RFC 9113 4.3).
package enum HPACKFault: Error, Equatable {
    case truncated
    case integerTooLarge
    case unknownIndex
    case huffman
    case tableSize
    /// A change of the table's size behind a field (RFC 7541 4.2).
    case misplacedTableSize
}

/// A string literal of a header block (RFC 7541 5.2): where its bytes lie, and how they are written.
struct HPACKString {
    let start: Int
    let end: Int
    let isHuffmanCoded: Bool

    /// The most bytes that it may stand for: no Huffman code is shorter than five bits.
    var maxCount: Int {
        let count = self.end - self.start
        return self.isHuffmanCoded ? count * 8 / 5 : count
    }

    /// Writes what it stands for, `maxCount` bytes at most.
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
