/// Header fields as they were sent, one behind the other in one piece of memory.
package struct HeaderList {
    package struct Field: Equatable {
        package var nameStart: Int
        /// The value begins here.
        package var nameEnd: Int
        package var valueEnd: Int
    }

    package private(set) var bytes: [UInt8] = []
    package private(set) var fields: [Field] = []
    /// The size by which lists are limited (RFC 9113 10.5.1).
    package private(set) var size = 0
    /// Whether fields were left out because the list is larger than it may be.
    package private(set) var isTooLarge = false

    /// What a field costs beside its bytes (RFC 7541 4.1).
    package static let overhead = 32

    package init() {}

    /// Forgets everything; the memory is used again.
    mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.fields.removeAll(keepingCapacity: true)
        self.size = 0
        self.isTooLarge = false
    }

    /// Appends to the field that is being read.
    mutating func append(_ span: Span<UInt8>, from start: Int, to end: Int) {
        unsafe span.extracting(start..<end).withUnsafeBufferPointer {
            unsafe self.bytes.append(contentsOf: $0)
        }
    }

    mutating func append(_ piece: ArraySlice<UInt8>) {
        self.bytes.append(contentsOf: piece)
    }

    /// Appends what Huffman-coded bytes stand for; `false` if they are malformed.
    mutating func appendDecoded(_ span: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        HuffmanCode.decode(span, from: start, to: end, into: &self.bytes)
    }

    /// Counts a field; `false` if it is to be left out.
    mutating func admits(_ byteCount: Int, limit: Int) -> Bool {
        self.size += byteCount + Self.overhead
        if self.size > limit { self.isTooLarge = true }
        return !self.isTooLarge
    }

    /// Ends the field that was appended.
    mutating func endField(nameStart: Int, nameEnd: Int) {
        self.fields.append(
            Field(nameStart: nameStart, nameEnd: nameEnd, valueEnd: self.bytes.count)
        )
    }

    /// Drops what was appended from a place on.
    mutating func drop(from start: Int) {
        self.bytes.removeSubrange(start...)
    }
}
