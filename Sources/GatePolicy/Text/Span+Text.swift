extension Span<UInt8> {
    /// The bytes as a string, with U+FFFD in place of invalid UTF-8.
    var text: String {
        unsafe self.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes as a string, with ASCII letters in lower case.
    var lowercasedText: String {
        unsafe String(unsafeUninitializedCapacity: self.count) { buffer in
            for index in self.indices { unsafe buffer[index] = self[index].lowercased }
            return self.count
        }
    }

    var isASCII: Bool { self.allSatisfy { $0 < 0x80 } }

    func allSatisfy(_ isWanted: (UInt8) -> Bool) -> Bool {
        for index in self.indices where !isWanted(self[index]) { return false }
        return true
    }

    /// Returns the first index of a byte; `nil` if the byte does not occur.
    ///
    /// Eight bytes are compared at a time, because each field from a client is searched several
    /// times for different bytes.
    @inline(__always)
    func firstIndex(of byte: UInt8) -> Int? {
        unsafe self.withUnsafeBytes { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                if let found = unsafe Self.firstIndex(of: byte, in: bytes, at: index) {
                    return found
                }
                index += 8
            }
            guard bytes.count < 8 else {
                // The last word overlaps with bytes that were already compared.
                guard index < bytes.count else { return nil }
                return unsafe Self.firstIndex(of: byte, in: bytes, at: bytes.count - 8)
            }
            guard bytes.count < 4 else {
                // There are at most seven bytes, so the halves of the word overlap.
                let second = bytes.count - 4
                let low = unsafe Self.half(of: bytes, at: 0)
                let word = unsafe Self.half(of: bytes, at: second) << 32 | low
                return Self.firstIndex(of: byte, in: word).map { $0 < 4 ? $0 : second + $0 - 4 }
            }
            while index < bytes.count {
                if unsafe bytes[index] == byte { return index }
                index += 1
            }
            return nil
        }
    }

    /// Returns the four bytes from `index` as a little-endian integer.
    @inline(__always)
    private static func half(of bytes: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
        let half = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
        return UInt64(UInt32(littleEndian: half))
    }

    /// Returns the first index of a byte in the eight bytes from `index`; `nil` if it does not
    /// occur.
    @inline(__always)
    private static func firstIndex(
        of byte: UInt8,
        in bytes: UnsafeRawBufferPointer,
        at index: Int
    ) -> Int? {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        return self.firstIndex(of: byte, in: UInt64(littleEndian: word)).map { index + $0 }
    }

    /// Returns the first index of a byte in a word of eight bytes; `nil` if it does not occur.
    ///
    /// The least significant byte comes first.
    @inline(__always)
    private static func firstIndex(of byte: UInt8, in word: UInt64) -> Int? {
        // The least significant mark belongs to the first equal byte.
        let marks = self.marks(of: byte, in: word) & self.highBits
        return marks == 0 ? nil : marks.trailingZeroBitCount / 8
    }

    /// Whether at least one of three bytes occurs.
    ///
    /// All three bytes are searched for in the same pass.
    func contains(oneOf first: UInt8, _ second: UInt8, _ third: UInt8) -> Bool {
        guard self.count >= 8 else {
            return !self.allSatisfy { $0 != first && $0 != second && $0 != third }
        }
        return self.containsWord { word in
            let marks =
                Self.marks(of: first, in: word) | Self.marks(of: second, in: word)
                | Self.marks(of: third, in: word)
            return marks & Self.highBits != 0
        }
    }

    /// Whether a letter occurs in either case; `letter` must be in lower case.
    func contains(letter: UInt8) -> Bool {
        guard self.count >= 8 else { return !self.allSatisfy { $0 | 0x20 != letter } }
        return self.containsWord { word in
            Self.marks(of: letter, in: word | 0x2020_2020_2020_2020) & Self.highBits != 0
        }
    }

    /// Whether a condition holds for at least one of the eight-byte words in the span.
    ///
    /// The span must contain at least eight bytes.
    @inline(__always)
    private func containsWord(where isWanted: (UInt64) -> Bool) -> Bool {
        unsafe self.withUnsafeBytes { bytes in
            // The last word may overlap with the previous word.
            let last = bytes.count - 8
            var index = 0
            while true {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if isWanted(word) { return true }
                guard index < last else { return false }
                index = Swift.min(index + 8, last)
            }
        }
    }

    /// Returns a word in which the highest bit of each byte that is equal to `byte` is set.
    ///
    /// Bytes after the first equal byte may also be marked, and the other bits have no meaning.
    @inline(__always)
    private static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let rest = word ^ (ones &* UInt64(byte))
        return (rest &- ones) & ~rest
    }

    private static var highBits: UInt64 { 0x8080_8080_8080_8080 }
}

extension [UInt8] {
    /// Appends the bytes of a span, which is faster than appending a collection.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        self.append(addingCapacity: bytes.count) { room in room.append(bytes) }
    }
}

extension OutputSpan<UInt8> {
    /// Appends the bytes of a span; traps if there is not enough capacity.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= self.freeCapacity)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe self.withUnsafeMutableBufferPointer { room, count in
                guard let start = room.baseAddress, let first = bytes.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(start + count)
                    .copyMemory(from: first, byteCount: bytes.count)
                count += bytes.count
            }
        }
    }
}

extension String {
    /// The string with ASCII letters in lower case.
    ///
    /// Names that clients send are compared in this form.
    package var lowercasedASCII: String { self.utf8Span.span.lowercasedText }
}
