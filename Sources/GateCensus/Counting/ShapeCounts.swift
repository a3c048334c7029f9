package import GatePolicy

/// The number of requests in a cell, by path shape.
package struct ShapeCounts: Sendable, Equatable {
    /// The number of requests that arrived while paths were recorded.
    package private(set) var covered: UInt64
    /// The number of requests with a recorded path, by shape; complete unless there were too many shapes.
    package private(set) var counts: [PathShape: UInt64]
    /// The number of requests without a stored shape.
    package private(set) var shapeless: UInt64

    package init(
        covered: UInt64 = 0,
        counts: [PathShape: UInt64] = [:],
        shapeless: UInt64 = 0
    ) {
        self.covered = covered
        self.counts = counts
        self.shapeless = shapeless
    }

    package mutating func add(_ other: ShapeCounts) {
        self.covered += other.covered
        self.shapeless += other.shapeless
        // In almost all cases, one of the two dictionaries is empty.
        if self.counts.isEmpty {
            self.counts = other.counts
        } else if !other.counts.isEmpty {
            self.counts.merge(other.counts, uniquingKeysWith: +)
        }
    }

    /// Counts a request; `shape` is `nil` if the path has no shape.
    mutating func add(_ shape: PathShape?) {
        if let shape { self.counts[shape, default: 0] += 1 } else { self.shapeless += 1 }
    }

    /// Removes a shape; its requests count as requests without a shape.
    mutating func forget(_ shape: PathShape) {
        self.shapeless += self.counts.removeValue(forKey: shape) ?? 0
    }

    /// Returns the share of each shape among a number of requests; the remaining requests have unknown
    /// shapes.
    func shares(of requests: UInt64) -> [(shape: PathShape, share: Double)] {
        let seen = self.shapeless + self.counts.values.reduce(0, +)
        guard seen > 0, requests > 0 else { return [] }
        let covered = min(1, Double(self.covered) / Double(requests))
        return self.counts.map { ($0, covered * Double($1) / Double(seen)) }
    }
}

/// The paths of requests as received, in one contiguous buffer; they are parsed after a fetch.
struct PathLog: Sendable {
    /// The maximum size in bytes, sufficient for one to two thousand requests.
    ///
    /// Later requests are assumed to have the same distribution of shapes. Over an hour, this size
    /// is sufficient to measure a share of 0.1%.
    private static let limit = 48 * 1024
    private static let headLength = 6

    /// For each request: its cell in four bytes, the lengths of the method and of the target, and
    /// both strings.
    private var bytes: [UInt8] = []

    init(expecting last: PathLog? = nil) {
        if let last { self.bytes.reserveCapacity(last.bytes.count) }
    }

    @inline(__always)
    mutating func add(cell: Int, method: Span<UInt8>, target: Span<UInt8>) {
        var length = target.count
        if length > PathShape.longestPath { length = Self.pathLength(target) }
        let methodLength = min(method.count, 16)
        guard self.bytes.count &+ Self.headLength &+ methodLength &+ length <= Self.limit else {
            return
        }
        let count = Self.headLength &+ methodLength &+ length
        let cell = UInt32(truncatingIfNeeded: cell).littleEndian
        let lengths = UInt16(truncatingIfNeeded: methodLength | length << 8).littleEndian
        self.bytes.append(addingCapacity: count) { room in
            unsafe method.withUnsafeBytes { method in
                unsafe target.withUnsafeBytes { target in
                    unsafe room.withUnsafeMutableBufferPointer { room, used in
                        // None of these pointers can be `nil`, because a request head always has a
                        // method and a target.
                        guard let start = room.baseAddress, let method = method.baseAddress,
                            let target = target.baseAddress
                        else { return }
                        let place = unsafe UnsafeMutableRawPointer(start + used)
                        unsafe place.storeBytes(of: cell, as: UInt32.self)
                        unsafe place.storeBytes(of: lengths, toByteOffset: 4, as: UInt16.self)
                        let words = unsafe place + Self.headLength
                        unsafe words.copyMemory(from: method, byteCount: methodLength)
                        unsafe (words + methodLength).copyMemory(from: target, byteCount: length)
                        used += count
                    }
                }
            }
        }
    }

    /// Returns the length of the path in a long target; 0 if the path is also too long.
    private static func pathLength(_ target: Span<UInt8>) -> Int {
        for index in 0...PathShape.longestPath where target[index] == UInt8(ascii: "?") {
            return index
        }
        return 0
    }

    /// Calls `body` with the cell and the shape of each request.
    func read(_ body: (_ cell: Int, _ shape: PathShape?) -> Void) {
        let bytes = self.bytes.span
        var index = 0
        while index < bytes.count {
            let cell = (0..<4).reduce(0) { $0 | Int(bytes[index + $1]) << (8 * $1) }
            let start = index + Self.headLength
            let middle = start + Int(bytes[index + 4])
            let end = middle + Int(bytes[index + 5])
            let (method, target) = (start..<middle, middle..<end)
            body(
                cell,
                PathShape(method: bytes.extracting(method), target: bytes.extracting(target))
            )
            index = end
        }
    }
}
