import NIOCore

/// Writes a log line into room that was made for all of it at once: to make room for each part costs
/// more than to write it.
///
/// To write more than there is room for is a bug and traps, so that the room must be worked out from
/// the longest that each part can become.
@safe
struct LogCursor: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private let capacity: Int
    /// Bytes that were written.
    private(set) var count = 0

    fileprivate init(_ start: UnsafeMutableRawPointer, capacity: Int) {
        unsafe self.start = unsafe start
        self.capacity = capacity
    }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        precondition(count <= self.capacity - self.count)
        defer { self.count += count }
        return unsafe self.start + self.count
    }

    /// Inlined, the length is known and the text moves in a few registers.
    @inline(__always)
    mutating func writeStaticString(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        unsafe self.take(count).copyMemory(from: text.utf8Start, byteCount: count)
    }

    @inline(__always)
    mutating func writeBytes(_ bytes: Span<UInt8>) {
        let place = unsafe self.take(bytes.count)
        unsafe bytes.withUnsafeBytes { source in
            guard let first = source.baseAddress else { return }
            switch source.count {
            // Most values are that short, and two words, which may overlap, are less than a call.
            case 8...16: unsafe Self.copy(first, to: place, source.count, by: UInt64.self)
            case 4..<8: unsafe Self.copy(first, to: place, source.count, by: UInt32.self)
            default: unsafe place.copyMemory(from: first, byteCount: source.count)
            }
        }
    }

    @inline(__always)
    private static func copy<Word: BitwiseCopyable>(
        _ source: UnsafeRawPointer,
        to place: UnsafeMutableRawPointer,
        _ count: Int,
        by word: Word.Type
    ) {
        let last = count - MemoryLayout<Word>.size
        let words = unsafe (
            source.loadUnaligned(as: word),
            source.loadUnaligned(fromByteOffset: last, as: word)
        )
        unsafe place.storeBytes(of: words.0, as: word)
        unsafe place.storeBytes(of: words.1, toByteOffset: last, as: word)
    }

    mutating func writeString(_ text: String) {
        let bytes = text.utf8
        self.writeBytes(bytes.span)
    }

    @inline(__always)
    mutating func writeByte(_ byte: UInt8) {
        unsafe self.take(1).storeBytes(of: byte, as: UInt8.self)
    }

    mutating func writeRequestID(_ id: RequestID) {
        let digits = id.digits
        let place = unsafe self.take(32)
        for index in digits.indices {
            unsafe place.storeBytes(
                of: digits[index].bigEndian,
                toByteOffset: index * 8,
                as: UInt64.self
            )
        }
    }

    /// The digits of a number, 20 at most.
    mutating func writeDecimal(_ value: UInt64) {
        guard value < 1000 else {
            self.writeDecimal(value / 1000)
            return self.writeThreeDigits(value)
        }
        let small = UInt32(truncatingIfNeeded: value)
        if small >= 100 { self.writeByte(Self.digit(small / 100)) }
        if small >= 10 { self.writeByte(Self.digit(small / 10)) }
        self.writeByte(Self.digit(small))
    }

    /// The lowest three digits of a number.
    mutating func writeThreeDigits(_ value: UInt64) {
        let small = UInt32(truncatingIfNeeded: value % 1000)
        let place = unsafe self.take(3)
        unsafe place.storeBytes(of: Self.digit(small / 100), as: UInt8.self)
        unsafe place.storeBytes(of: Self.digit(small / 10), toByteOffset: 1, as: UInt8.self)
        unsafe place.storeBytes(of: Self.digit(small), toByteOffset: 2, as: UInt8.self)
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10)
    }
}

extension ByteBuffer {
    /// Writes parts of a log line behind one another, making room once.
    ///
    /// `limit`: bytes that there can be.
    @inline(__always)
    mutating func writeLog(atMost limit: Int, _ body: (inout LogCursor) -> Void) {
        unsafe self.writeWithUnsafeMutableBytes(minimumWritableBytes: limit) { room in
            guard let start = room.baseAddress else { return 0 }
            var cursor = unsafe LogCursor(start, capacity: limit)
            body(&cursor)
            return cursor.count
        }
    }
}

extension [UInt8] {
    /// Parts of a log line behind one another, in no more memory than they take.
    ///
    /// `limit`: bytes that there can be.
    init(logAtMost limit: Int, _ body: (inout LogCursor) -> Void) {
        self = unsafe withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { room in
            guard let start = room.baseAddress else { return [] }
            var cursor = unsafe LogCursor(start, capacity: limit)
            body(&cursor)
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: cursor.count))
        }
    }
}
