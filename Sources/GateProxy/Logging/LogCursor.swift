import GateWire
private import Glibc

/// A writer to memory that was reserved for a whole log line.
///
/// A check of the capacity before each part would cost more than writing the part. Exceeding the capacity is a
/// programming error and traps, so the capacity must be computed from the maximum length of each part.
@safe
struct LogCursor: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private var place: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer

    /// Creates a cursor positioned after the first `count` bytes.
    fileprivate init(_ memory: UnsafeMutableRawPointer, capacity: Int, count: Int) {
        unsafe self.start = memory
        unsafe self.place = memory + count
        unsafe self.end = memory + capacity
    }

    /// The number of bytes up to the cursor, including bytes that were written before its creation.
    var count: Int { unsafe self.start.distance(to: self.place) }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        let place = unsafe self.place
        unsafe self.place = place + count
        unsafe precondition(self.place <= self.end)
        return unsafe place
    }

    /// Writes a static string.
    ///
    /// The method is inlined, so that the length is constant and the string is copied through a few registers.
    @inline(__always)
    mutating func writeStaticString(_ text: StaticString) {
        let count = text.utf8CodeUnitCount
        unsafe self.take(count).copyMemory(from: text.utf8Start, byteCount: count)
    }

    @inline(__always)
    mutating func writeBytes(_ bytes: Span<UInt8>) {
        let count = bytes.count
        let place = unsafe self.take(count)
        unsafe bytes.withUnsafeBytes { source in
            guard let first = source.baseAddress else { return }
            switch count {
            // Most values have these lengths. Two loads and stores, which may overlap, cost less than a call.
            case 17...32: unsafe Self.copy(first, to: place, count, by: UInt128.self)
            case 8...16: unsafe Self.copy(first, to: place, count, by: UInt64.self)
            case 4..<8: unsafe Self.copy(first, to: place, count, by: UInt32.self)
            default: unsafe place.copyMemory(from: first, byteCount: count)
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
        let place = unsafe self.take(32)
        for index in id.digits.indices {
            unsafe place.storeBytes(of: id.digits[index], toByteOffset: index * 8, as: UInt64.self)
        }
    }

    /// Writes a number in decimal notation, with at most 20 digits.
    mutating func writeDecimal(_ value: UInt64) {
        guard value < 1000 else {
            self.writeDecimal(value / 1000)
            return self.writeThreeDigits(value)
        }
        let small = UInt32(truncatingIfNeeded: value)
        let count = small < 10 ? 1 : small < 100 ? 2 : 3
        let place = unsafe self.take(count)
        unsafe place.storeBytes(of: Self.digit(small), toByteOffset: count - 1, as: UInt8.self)
        guard count > 1 else { return }
        unsafe place.storeBytes(of: Self.digit(small / 10), toByteOffset: count - 2, as: UInt8.self)
        guard count > 2 else { return }
        unsafe place.storeBytes(of: Self.digit(small / 100), as: UInt8.self)
    }

    /// Writes the last three decimal digits of a number.
    @inline(__always)
    mutating func writeThreeDigits(_ value: UInt64) {
        let small = UInt32(truncatingIfNeeded: value < 1000 ? value : value % 1000)
        let (hundreds, rest) = (small / 100, small % 100)
        let tens = rest / 10
        let digits = (rest &- 10 &* tens) << 16 | tens << 8 | hundreds
        let place = unsafe self.take(3)
        let text = digits | 0x30_3030
        unsafe place.storeBytes(of: UInt16(truncatingIfNeeded: text), as: UInt16.self)
        unsafe place.storeBytes(
            of: UInt8(truncatingIfNeeded: text >> 16),
            toByteOffset: 2,
            as: UInt8.self
        )
    }

    private static func digit(_ value: UInt32) -> UInt8 {
        UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10)
    }
}

/// A memory block with a single owner, for log lines.
@safe
struct LogMemory: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    /// The number of bytes written.
    private(set) var count = 0

    init(capacity: Int) {
        // Allocating memory with an explicit alignment costs twice as much.
        guard let start = unsafe malloc(max(1, capacity)) else { preconditionFailure("no memory") }
        unsafe self.memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    deinit { unsafe free(self.memory.baseAddress) }

    var capacity: Int { unsafe self.memory.count }

    /// Calls `body` with the written bytes.
    @inline(__always)
    borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(start: self.memory.baseAddress, count: self.count)
        return unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Appends to the written bytes, and traps if the capacity is exceeded.
    @inline(__always)
    mutating func write(_ body: (inout LogCursor) -> Void) {
        guard let start = unsafe self.memory.baseAddress else { return }
        var cursor = unsafe LogCursor(start, capacity: self.capacity, count: self.count)
        body(&cursor)
        self.count = cursor.count
    }

    mutating func removeAll() { self.count = 0 }

    /// Ensures a minimum capacity, unless bytes have already been written.
    @inline(__always)
    mutating func reserve(_ capacity: Int) {
        guard capacity > self.capacity, self.count == 0 else { return }
        self = LogMemory(capacity: capacity)
    }
}

/// A pool of reusable memory blocks.
struct LogMemoryPool: ~Copyable {
    /// The capacity of a block in bytes, which is enough for most lines.
    private static let pieceCapacity = 512

    private var pieces = InlineArray<16, LogMemory?> { _ in nil }
    private var count = 0

    /// Returns a copy of `source` in a block from the pool.
    mutating func copy(of source: borrowing LogMemory) -> LogMemory {
        var piece = self.piece()
        if source.count > piece.capacity { piece = LogMemory(capacity: source.count) }
        source.withBytes { bytes in piece.write { $0.writeBytes(bytes) } }
        return piece
    }

    private mutating func piece() -> LogMemory {
        guard self.count > 0 else { return LogMemory(capacity: Self.pieceCapacity) }
        self.count -= 1
        return self.pieces[self.count].take() ?? LogMemory(capacity: Self.pieceCapacity)
    }

    mutating func take(back piece: consuming LogMemory) {
        guard self.count < self.pieces.count, piece.capacity == Self.pieceCapacity else { return }
        piece.removeAll()
        self.pieces[self.count] = consume piece
        self.count += 1
    }
}

extension [UInt8] {
    /// Creates an array of exactly the bytes that `body` writes.
    ///
    /// `limit` is the maximum number of bytes.
    init(logAtMost limit: Int, _ body: (inout LogCursor) -> Void) {
        var memory = LogMemory(capacity: limit)
        memory.write(body)
        self = memory.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }
}
