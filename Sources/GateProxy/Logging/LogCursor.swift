import GateWire
private import Glibc

/// Writes a log line into room that was made for all of it at once: to make room for each part costs
/// more than to write it.
///
/// To write more than there is room for is a bug and traps, so that the room must be worked out from
/// the longest that each part can become.
@safe
struct LogCursor: ~Copyable {
    private let start: UnsafeMutableRawPointer
    private var place: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer

    /// `count`: bytes that stand there already.
    fileprivate init(_ memory: UnsafeMutableRawPointer, capacity: Int, count: Int) {
        unsafe self.start = memory
        unsafe self.place = memory + count
        unsafe self.end = memory + capacity
    }

    /// Bytes up to here, those that stood there before among them.
    var count: Int { unsafe self.start.distance(to: self.place) }

    @inline(__always)
    private mutating func take(_ count: Int) -> UnsafeMutableRawPointer {
        let place = unsafe self.place
        unsafe self.place = place + count
        unsafe precondition(self.place <= self.end)
        return unsafe place
    }

    /// Inlined, the length is known and the text moves in a few registers.
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
            // Most values are that short, and two words, which may overlap, are less than a call.
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

    /// The digits of a number, 20 at most.
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

    /// The lowest three digits of a number.
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

/// Memory for log lines, with one owner.
@safe
struct LogMemory: ~Copyable {
    private let memory: UnsafeMutableRawBufferPointer
    /// Bytes that were written.
    private(set) var count = 0

    init(capacity: Int) {
        // For bytes, memory with an alignment of its own costs twice as much.
        guard let start = unsafe malloc(max(1, capacity)) else { preconditionFailure("no memory") }
        unsafe self.memory = UnsafeMutableRawBufferPointer(start: start, count: capacity)
    }

    deinit { unsafe free(self.memory.baseAddress) }

    var capacity: Int { unsafe self.memory.count }

    /// Hands over the bytes that were written.
    @inline(__always)
    borrowing func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let bytes = unsafe UnsafeRawBufferPointer(start: self.memory.baseAddress, count: self.count)
        return unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
    }

    /// Writes parts behind what is there; to write more than there is room for traps.
    @inline(__always)
    mutating func write(_ body: (inout LogCursor) -> Void) {
        guard let start = unsafe self.memory.baseAddress else { return }
        var cursor = unsafe LogCursor(start, capacity: self.capacity, count: self.count)
        body(&cursor)
        self.count = cursor.count
    }

    mutating func removeAll() { self.count = 0 }

    /// Makes sure that there is room for so many bytes, if there are none yet.
    @inline(__always)
    mutating func reserve(_ capacity: Int) {
        guard capacity > self.capacity, self.count == 0 else { return }
        self = LogMemory(capacity: capacity)
    }
}

/// A few pieces of memory that are used again and again.
struct LogMemoryPool: ~Copyable {
    /// Enough for most lines.
    private static let pieceCapacity = 512

    private var pieces = InlineArray<16, LogMemory?> { _ in nil }
    private var count = 0

    /// The same bytes elsewhere.
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
    /// Parts of a log line behind one another, in no more memory than they take.
    ///
    /// `limit`: bytes that there can be.
    init(logAtMost limit: Int, _ body: (inout LogCursor) -> Void) {
        var memory = LogMemory(capacity: limit)
        memory.write(body)
        self = memory.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        }
    }
}
