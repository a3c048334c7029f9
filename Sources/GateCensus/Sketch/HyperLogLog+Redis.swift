/// The string format in which Redis and Valkey store sketches, for use with `PFCOUNT` and
/// `PFMERGE`.
///
/// The format is a header of 16 bytes (`HYLL`, the encoding, three zero bytes, and a cached count,
/// whose highest bit marks it as outdated), followed by the registers: all of them in six bits
/// each, or as runs. See `hyperloglog.c` in Redis.
extension HyperLogLog {
    private enum Encoding: UInt8 {
        case dense = 0
        case sparse = 1
    }

    private static let magic = Array("HYLL".utf8)
    private static let headerLength = 16
    private static let denseLength = Self.headerLength + Self.registerCount * 6 / 8
    /// The maximum length of the runs in bytes; if they are longer, Redis stores all registers instead.
    private static let maximumSparseLength = 3_000
    /// The maximum rank that a run can contain.
    private static let maximumSparseRank: UInt8 = 32

    /// Creates a sketch from a Redis string; returns `nil` if it is malformed or damaged.
    package init?(redis bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength, bytes.starts(with: Self.magic),
            let encoding = Encoding(rawValue: bytes[4])
        else { return nil }
        let body = bytes[Self.headerLength...]
        switch encoding {
        case .sparse:
            guard let entries = Self.expanded(body) else { return nil }
            self.init(entries: entries)
        case .dense:
            guard bytes.count == Self.denseLength else { return nil }
            let ranks = Self.unpacked(body)
            guard ranks.allSatisfy({ $0 <= Self.maximumRank }) else { return nil }
            self.init(ranks: ranks)
        }
    }

    /// The sketch in the format of Redis, without a cached count.
    package var redisBytes: [UInt8] {
        let (encoding, body) = self.runs.map { (Encoding.sparse, $0) } ?? (.dense, self.packed)
        let isUncounted: UInt8 = 0x80
        return Self.magic + [encoding.rawValue] + Array(repeating: 0, count: 10) + [isUncounted]
            + body
    }

    /// All registers in six bits each, low-order bits first.
    private var packed: [UInt8] {
        var packed = [UInt8](repeating: 0, count: Self.denseLength - Self.headerLength)
        for (register, rank) in self.ranks.enumerated() {
            let bits = UInt16(rank) << UInt16(register * 6 & 7)
            let place = register * 6 / 8
            packed[place] |= UInt8(truncatingIfNeeded: bits)
            if bits > 0xFF { packed[place + 1] |= UInt8(bits >> 8) }
        }
        return packed
    }

    private static func unpacked(_ packed: ArraySlice<UInt8>) -> [UInt8] {
        (0..<Self.registerCount).map { register in
            let place = packed.startIndex + register * 6 / 8
            let next = place + 1 < packed.endIndex ? packed[place + 1] : 0
            let bits = UInt16(packed[place]) | UInt16(next) << 8
            return UInt8(truncatingIfNeeded: bits >> UInt16(register * 6 & 7)) & 63
        }
    }

    /// Runs of equal registers; `nil` if they are too long, or if a rank does not fit.
    ///
    /// `00xxxxxx`: the number of zero registers, minus one; `01xxxxxx yyyyyyyy`: the same in 14
    /// bits; `1vvvvvxx`: the rank, minus one, of one to four registers.
    private var runs: [UInt8]? {
        guard case .sparse(let entries) = self.storage else { return nil }
        var runs: [UInt8] = []
        var next = 0
        var index = 0
        while index < entries.count {
            let (register, rank) = (Int(entries[index] >> 6), UInt8(entries[index] & 63))
            guard rank <= Self.maximumSparseRank else { return nil }
            var length = 1
            while length < 4, index + length < entries.count,
                entries[index + length] == entries[index] + UInt32(length) << 6
            {
                length += 1
            }
            Self.append(zeros: register - next, to: &runs)
            runs.append(0x80 | (rank - 1) << 2 | UInt8(length - 1))
            next = register + length
            index += length
        }
        Self.append(zeros: Self.registerCount - next, to: &runs)
        return runs.count <= Self.maximumSparseLength ? runs : nil
    }

    private static func append(zeros count: Int, to runs: inout [UInt8]) {
        guard count > 0 else { return }
        if count <= 64 {
            runs.append(UInt8(count - 1))
        } else {
            runs += [0x40 | UInt8((count - 1) >> 8), UInt8(truncatingIfNeeded: count - 1)]
        }
    }

    /// Returns the non-zero registers.
    ///
    /// Most sketches have few non-zero registers, and thousands of sketches are read at a time.
    private static func expanded(_ runs: ArraySlice<UInt8>) -> [UInt32]? {
        var entries: [UInt32] = []
        var register = 0
        var index = runs.startIndex
        while index < runs.endIndex {
            let byte = runs[index]
            index += 1
            let (rank, length): (UInt8, Int)
            if byte & 0x80 != 0 {
                (rank, length) = (byte >> 2 & 0x1F + 1, Int(byte & 3) + 1)
            } else if byte & 0x40 == 0 {
                (rank, length) = (0, Int(byte) + 1)
            } else {
                guard index < runs.endIndex else { return nil }
                (rank, length) = (0, Int(byte & 0x3F) << 8 + Int(runs[index]) + 1)
                index += 1
            }
            guard register + length <= Self.registerCount else { return nil }
            if rank > 0 {
                for place in register..<register + length {
                    entries.append(UInt32(place) << 6 | UInt32(rank))
                }
            }
            register += length
        }
        return register == Self.registerCount ? entries : nil
    }
}
