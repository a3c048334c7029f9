/// A sketch that estimates the number of distinct elements with a few kilobytes of memory.
///
/// There are 16,384 registers, as in Redis; the standard error is 0.81%. Flajolet et al.,
/// "HyperLogLog" (2007); Ertl, "New cardinality estimation algorithms for HyperLogLog sketches"
/// (2017).
package struct HyperLogLog: Sendable, Equatable {
    /// The number of bits of a hash that select its register.
    static let precision = 14
    static let registerCount = 1 << Self.precision
    /// The number of bits of a hash that determine its rank.
    private static let rankBits = 64 - Self.precision
    static let maximumRank = UInt8(Self.rankBits + 1)
    /// The maximum number of registers in sparse storage.
    private static let sparseLimit = 1_024

    /// The content alone determines which case is used, so that equal sketches have equal storage.
    enum Storage: Sendable, Equatable {
        /// The non-zero registers, in ascending order: `register << 6 | rank`.
        case sparse([UInt32])
        case dense([UInt8])
    }

    private(set) var storage = Storage.sparse([])

    /// Creates an empty sketch.
    package init() {}

    /// Creates a sketch from the ranks of all registers.
    init(ranks: [UInt8]) {
        var sparse: [UInt32] = []
        for (register, rank) in ranks.enumerated() where rank > 0 {
            guard sparse.count < Self.sparseLimit else {
                self.storage = .dense(ranks)
                return
            }
            sparse.append(UInt32(register) << 6 | UInt32(rank))
        }
        self.storage = .sparse(sparse)
    }

    /// Creates a sketch from the non-zero registers, in ascending order: `register << 6 | rank`.
    init(entries: [UInt32]) {
        self.storage =
            entries.count <= Self.sparseLimit ? .sparse(entries) : .dense(Self.ranks(of: entries))
    }

    /// The change that one hash makes to a sketch, in 20 bits: `register << 6 | rank`.
    package struct Mark: Sendable, Hashable {
        package let rawValue: UInt32

        package init(hash: UInt64) {
            let register = UInt32(truncatingIfNeeded: hash) & UInt32(HyperLogLog.registerCount - 1)
            // The bit above the rank bits is set, to limit the count of trailing zeros.
            let rest = hash >> UInt64(HyperLogLog.precision) | 1 << UInt64(HyperLogLog.rankBits)
            self.rawValue = register << 6 | UInt32(rest.trailingZeroBitCount + 1)
        }

        /// Creates a mark from a stored value; bits above the low-order 20 are ignored.
        package init(rawValue: UInt32) {
            self.rawValue = rawValue & 0xF_FFFF
        }
    }

    /// Adds an element by its hash.
    package mutating func add(_ hash: UInt64) { self.add(Mark(hash: hash)) }

    package mutating func add(_ mark: Mark) {
        let (register, rank) = (Int(mark.rawValue >> 6), UInt8(mark.rawValue & 63))
        guard rank > 0, rank <= Self.maximumRank else { return }
        // The storage is moved out of `self`, so that it is changed in place.
        var storage = Storage.sparse([])
        swap(&storage, &self.storage)
        switch consume storage {
        case .dense(var ranks):
            if rank > ranks[register] { ranks[register] = rank }
            self.storage = .dense(ranks)
        case .sparse(var entries):
            let place = Self.place(of: mark.rawValue >> 6, in: entries)
            if place < entries.count, entries[place] >> 6 == mark.rawValue >> 6 {
                entries[place] = max(entries[place], mark.rawValue)
            } else if entries.count < Self.sparseLimit {
                entries.insert(mark.rawValue, at: place)
            } else {
                var ranks = Self.ranks(of: entries)
                ranks[register] = rank
                self.storage = .dense(ranks)
                return
            }
            self.storage = .sparse(entries)
        }
    }

    /// Adds all elements of another sketch.
    package mutating func merge(_ other: HyperLogLog) {
        guard !other.isEmpty else { return }
        guard !self.isEmpty else {
            self = other
            return
        }
        // The storage is moved out of `self`, so that it is changed in place.
        var storage = Storage.sparse([])
        swap(&storage, &self.storage)
        switch consume storage {
        case .dense(var ranks):
            switch other.storage {
            case .dense(let others):
                for register in ranks.indices where others[register] > ranks[register] {
                    ranks[register] = others[register]
                }
            case .sparse(let entries): Self.raise(&ranks, to: entries)
            }
            self.storage = .dense(ranks)
        case .sparse(let entries):
            switch other.storage {
            case .dense(var ranks):
                Self.raise(&ranks, to: entries)
                self.storage = .dense(ranks)
            case .sparse(let others): self = HyperLogLog(entries: Self.union(entries, others))
            }
        }
    }

    private static func raise(_ ranks: inout [UInt8], to entries: [UInt32]) {
        for entry in entries {
            let (register, rank) = (Int(entry >> 6), UInt8(entry & 63))
            if rank > ranks[register] { ranks[register] = rank }
        }
    }

    /// Returns the entries of two sparse sketches, with the higher rank of each register.
    private static func union(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
        var union: [UInt32] = []
        union.reserveCapacity(left.count + right.count)
        var index = 0
        for entry in left {
            while index < right.count, right[index] >> 6 < entry >> 6 {
                union.append(right[index])
                index += 1
            }
            if index < right.count, right[index] >> 6 == entry >> 6 {
                union.append(max(entry, right[index]))
                index += 1
            } else {
                union.append(entry)
            }
        }
        union += right[index...]
        return union
    }

    package var isEmpty: Bool { self.storage == .sparse([]) }

    /// The estimated number of distinct elements, using Ertl's improved raw estimator, as in Redis.
    package var count: Int {
        let counts = self.countsByRank
        let registers = Double(Self.registerCount)
        var sum = registers * Self.tau((registers - Double(counts[Self.rankBits + 1])) / registers)
        for rank in stride(from: Self.rankBits, through: 1, by: -1) {
            sum = (sum + Double(counts[rank])) * 0.5
        }
        sum += registers * Self.sigma(Double(counts[0]) / registers)
        // 1 / (2 ln 2)
        let estimate = 0.721_347_520_444_481_703_680 * registers * registers / sum
        return Int(estimate.rounded())
    }

    /// The rank of every register.
    var ranks: [UInt8] {
        switch self.storage {
        case .dense(let ranks): ranks
        case .sparse(let entries): Self.ranks(of: entries)
        }
    }

    /// The memory used by the registers, in bytes.
    package var memoryBytes: Int {
        switch self.storage {
        case .dense(let ranks): ranks.count
        case .sparse(let entries): entries.count * MemoryLayout<UInt32>.size
        }
    }

    /// The number of registers with each rank.
    private var countsByRank: [Int] {
        var counts = Array(repeating: 0, count: Self.rankBits + 2)
        switch self.storage {
        case .dense(let ranks):
            for rank in ranks { counts[Int(rank)] += 1 }
        case .sparse(let entries):
            counts[0] = Self.registerCount - entries.count
            for entry in entries { counts[Int(entry & 63)] += 1 }
        }
        return counts
    }

    private static func ranks(of entries: [UInt32]) -> [UInt8] {
        var ranks = [UInt8](repeating: 0, count: Self.registerCount)
        for entry in entries { ranks[Int(entry >> 6)] = UInt8(entry & 63) }
        return ranks
    }

    private static func place(of register: UInt32, in entries: [UInt32]) -> Int {
        var (start, end) = (0, entries.count)
        while start < end {
            let middle = (start + end) / 2
            if entries[middle] >> 6 < register { start = middle + 1 } else { end = middle }
        }
        return start
    }

    private static func tau(_ share: Double) -> Double {
        guard share > 0, share < 1 else { return 0 }
        var (rest, factor, sum) = (share, 1.0, 1 - share)
        while true {
            rest = rest.squareRoot()
            let before = sum
            factor *= 0.5
            sum -= (1 - rest) * (1 - rest) * factor
            if before == sum { return sum / 3 }
        }
    }

    private static func sigma(_ share: Double) -> Double {
        guard share < 1 else { return .infinity }
        var (rest, factor, sum) = (share, 1.0, share)
        while true {
            rest *= rest
            let before = sum
            sum += rest * factor
            factor += factor
            if before == sum { return sum }
        }
    }
}
