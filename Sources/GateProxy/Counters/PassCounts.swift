package import GatePolicy

/// The number of requests whose pass was refused, by the reason.
package struct PassCounts: Equatable, Sendable {
    private var counts = [UInt64](repeating: 0, count: Pass.Refusal.allCases.count)

    package subscript(refusal: Pass.Refusal) -> UInt64 { self.counts[Self.index(of: refusal)] }

    mutating func count(_ refusal: Pass.Refusal) { self.counts[Self.index(of: refusal)] += 1 }

    private static func index(of refusal: Pass.Refusal) -> Int {
        // The list contains every case.
        Pass.Refusal.allCases.firstIndex(of: refusal) ?? 0
    }

    static func + (left: PassCounts, right: PassCounts) -> PassCounts {
        var sum = left
        for index in sum.counts.indices { sum.counts[index] += right.counts[index] }
        return sum
    }
}
