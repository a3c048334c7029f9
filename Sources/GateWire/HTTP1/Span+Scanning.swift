import Glibc

extension Span<UInt8> {
    /// Returns the first position of `byte` at or after `start`, or `nil` if there is none.
    package func position(of byte: UInt8, from start: Int) -> Int? {
        guard start < self.count else { return nil }
        return unsafe self.withUnsafeBufferPointer { pointer in
            guard let base = pointer.baseAddress,
                let hit = unsafe memchr(base + start, Int32(byte), pointer.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(base).distance(to: UnsafeRawPointer(hit))
        }
    }

    /// Returns the position after the token characters at the start of a range.
    @inline(__always)
    func endOfToken(from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && start <= end && end <= self.count)
        return unsafe self.withUnsafeBufferPointer { pointer in
            var index = start
            while index < end, unsafe ASCII.isToken(pointer[index]) { index += 1 }
            return index
        }
    }

    /// Returns the position after the request-target characters at the start of a range.
    ///
    /// Eight bytes are checked at a time, because the target can make up most of a head.
    func endOfTarget(from start: Int, to end: Int) -> Int {
        precondition(start >= 0 && start <= end && end <= self.count)
        return unsafe self.withUnsafeBytes { pointer in
            var index = start
            while index + 8 <= end {
                let word = unsafe pointer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                guard Self.isTarget(word) else { break }
                index += 8
            }
            while index < end, unsafe ASCII.isTarget(pointer[index]) { index += 1 }
            return index
        }
    }

    /// Returns whether eight bytes are all valid in a target.
    ///
    /// A carry between bytes can cause a false negative, but never a false positive.
    @inline(__always)
    private static func isTarget(_ word: UInt64) -> Bool {
        let low: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- low &* 0x21) & ~word
        let above = word | (word &+ low)
        let mark = word ^ (low &* UInt64(UInt8(ascii: "#")))
        return (below | above | ((mark &- low) & ~mark)) & high == 0
    }

    /// Returns the position after the whitespace at the start of a range.
    func endOfBlanks(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, ASCII.isBlank(self[index]) { index += 1 }
        return index
    }

    /// Returns the position after the quoted string at the start of a range (RFC 9110 section 5.6.4).
    ///
    /// Returns `nil` if the range does not start with a quoted string.
    func endOfQuotedString(from start: Int, to end: Int) -> Int? {
        guard start < end, self[start] == ASCII.quote else { return nil }
        var index = start + 1
        while index < end, ASCII.isFieldValue(self[index]) {
            if self[index] == ASCII.quote { return index + 1 }
            if self[index] == ASCII.backslash {
                guard index + 1 < end, ASCII.isFieldValue(self[index + 1]) else { return nil }
                index += 1
            }
            index += 1
        }
        return nil
    }

    /// Returns whether a range contains no control character except HTAB.
    ///
    /// Eight bytes are checked at a time, because values make up most of a message head. Only words
    /// that could contain a control character are checked byte by byte.
    @inline(__always)
    func isFieldValue(from start: Int, to end: Int) -> Bool {
        precondition(start >= 0 && start <= end && end <= self.count)
        return unsafe self.withUnsafeBytes { pointer in
            var index = start
            while index + 8 <= end {
                let word = unsafe pointer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if Self.mayHoldControl(word) {
                    for offset in index..<(index + 8)
                    where unsafe !ASCII.isFieldValue(pointer[offset]) {
                        return false
                    }
                }
                index += 8
            }
            while index < end {
                guard unsafe ASCII.isFieldValue(pointer[index]) else { return false }
                index += 1
            }
            return true
        }
    }

    /// Returns whether any of eight bytes could be below 0x20 or equal to 0x7F.
    ///
    /// Bytes above 0x7F can cause a false positive, but there are no false negatives.
    @inline(__always)
    private static func mayHoldControl(_ word: UInt64) -> Bool {
        let low: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- low &* 0x20) & ~word
        let delete = word ^ (low &* 0x7F)
        return (below | ((delete &- low) & ~delete)) & high != 0
    }

    /// Returns whether the bytes at `start` match a lower-case name of letters, digits and hyphens,
    /// ignoring case.
    ///
    /// The result is correct only for tokens, because some control characters compare equal to digits.
    @inline(__always)
    package func holdsToken(_ name: Span<UInt8>, at start: Int) -> Bool {
        let count = name.count
        precondition(start >= 0 && count <= self.count - start)
        return unsafe self.withUnsafeBytes { bytes in
            unsafe name.withUnsafeBytes { name in
                guard count >= 8 else {
                    for offset in 0..<count
                    where unsafe bytes[start + offset] | 0x20 != name[offset] { return false }
                    return true
                }
                // The last eight bytes can overlap the previous ones.
                var offset = 0
                while true {
                    let word = unsafe bytes.loadUnaligned(
                        fromByteOffset: start + offset,
                        as: UInt64.self
                    )
                    let wanted = unsafe name.loadUnaligned(
                        fromByteOffset: offset,
                        as: UInt64.self
                    )
                    guard word | 0x2020_2020_2020_2020 == wanted else { return false }
                    if offset == count - 8 { return true }
                    offset = Swift.min(offset + 8, count - 8)
                }
            }
        }
    }

    /// Returns whether the token at `start` matches a static lower-case name, ignoring case.
    @inline(__always)
    package func holdsToken(_ name: StaticString, at start: Int) -> Bool {
        name.withUTF8Buffer { unsafe self.holdsToken($0.span, at: start) }
    }

    /// Returns whether a range is equal to a lower-case string, ignoring case.
    package func matches(_ word: StaticString, from start: Int, to end: Int) -> Bool {
        guard end - start == word.utf8CodeUnitCount else { return false }
        // Most peers send lower-case values.
        if self.equals(word, from: start, to: end) { return true }
        return word.withUTF8Buffer { expected in
            for offset in 0..<expected.count
            where unsafe ASCII.lowercased(self[start + offset]) != expected[offset] {
                return false
            }
            return true
        }
    }

    /// Returns whether a range is equal to a string, including case.
    package func equals(_ word: StaticString, from start: Int, to end: Int) -> Bool {
        guard end - start == word.utf8CodeUnitCount else { return false }
        return unsafe self.extracting(start..<end).withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress else { return true }
            return unsafe memcmp(first, word.utf8Start, bytes.count) == 0
        }
    }

    /// Returns whether a range is equal to a string, including case.
    func equals(_ word: StaticString, in range: Range<Int>) -> Bool {
        self.equals(word, from: range.lowerBound, to: range.upperBound)
    }

    /// Returns a range as a string, with U+FFFD in place of invalid UTF-8.
    package func text(from start: Int, to end: Int) -> String {
        unsafe self.extracting(start..<end).withUnsafeBufferPointer { pointer in
            unsafe String(decoding: pointer, as: UTF8.self)
        }
    }

    /// Calls `body` with the bounds of each member of a comma-separated list (RFC 9110 section 5.6.1.2).
    ///
    /// Whitespace is trimmed, and empty members are skipped. Iteration stops when `body` returns `false`.
    package func forEachListMember(from start: Int, to end: Int, _ body: (Int, Int) -> Bool) {
        var memberStart = start
        while memberStart <= end {
            var memberEnd = memberStart
            while memberEnd < end, self[memberEnd] != ASCII.comma { memberEnd += 1 }
            var low = memberStart
            var high = memberEnd
            while low < high, ASCII.isBlank(self[low]) { low += 1 }
            while high > low, ASCII.isBlank(self[high - 1]) { high -= 1 }
            if low < high, !body(low, high) { return }
            memberStart = memberEnd + 1
        }
    }

    /// Returns whether a range is the media type `type`, optionally with parameters or a suffix such as `+proto`.
    ///
    /// `type` must be in lower case; the case of the range is ignored (RFC 9110 section 8.3.1).
    func hasMediaType(_ type: StaticString, _ start: Int, _ end: Int) -> Bool {
        let typeEnd = start + type.utf8CodeUnitCount
        guard typeEnd <= end, self.matches(type, from: start, to: typeEnd) else { return false }
        guard typeEnd < end else { return true }
        let next = self[typeEnd]
        return next == ASCII.semicolon || next == ASCII.plus || ASCII.isBlank(next)
    }
}
