extension Span<UInt8> {
    /// The bytes as text; invalid UTF-8 becomes U+FFFD.
    var text: String {
        unsafe self.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// The bytes as text with ASCII letters in lower case.
    var lowercasedText: String {
        unsafe String(unsafeUninitializedCapacity: self.count) { buffer in
            for index in self.indices { unsafe buffer[index] = self[index].lowercased }
            return self.count
        }
    }

    func allSatisfy(_ isWanted: (UInt8) -> Bool) -> Bool {
        for index in self.indices where !isWanted(self[index]) { return false }
        return true
    }

    /// Returns the first index of a byte.
    ///
    /// Eight bytes are compared at a time, because each field from a client is searched several
    /// times, for different bytes.
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
                // The last word overlaps with bytes that are already known to be different.
                guard index < bytes.count else { return nil }
                return unsafe Self.firstIndex(of: byte, in: bytes, at: bytes.count - 8)
            }
            while index < bytes.count {
                if unsafe bytes[index] == byte { return index }
                index += 1
            }
            return nil
        }
    }
}

extension Span<UInt8> {
    /// Returns the first index of a byte in the eight bytes from `index` on.
    @inline(__always)
    private static func firstIndex(
        of byte: UInt8,
        in bytes: UnsafeRawBufferPointer,
        at index: Int
    ) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        let rest = UInt64(littleEndian: word) ^ (ones &* UInt64(byte))
        // The lowest set bit belongs to the first byte of `rest` that is zero.
        let zeros = (rest &- ones) & ~rest & (ones &* 0x80)
        return zeros == 0 ? nil : index + zeros.trailingZeroBitCount / 8
    }
}

extension [UInt8] {
    /// Appends bytes, faster than appending a collection.
    @inlinable @inline(__always)
    package mutating func append(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        self.append(addingCapacity: bytes.count) { room in room.append(bytes) }
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes; traps if there is not enough capacity.
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
    /// The text with ASCII letters in lower case, the form in which client names are compared.
    package var lowercasedASCII: String { self.utf8Span.span.lowercasedText }
}
