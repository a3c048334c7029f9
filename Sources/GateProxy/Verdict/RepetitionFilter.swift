/// A filter that detects digests that were seen recently.
///
/// In a flood of made-up versions, each is seen only once. Caching their verdicts costs as much as
/// computing them, and evicts the verdicts that are needed again.
struct RepetitionFilter {
    /// The number of entries; a power of two.
    private static let count = 4096

    /// Parts of the most recent digests.
    private var parts = [UInt32](repeating: 0, count: Self.count)

    /// Whether the digest was seen before; a digest with the same part counts as equal.
    mutating func isRepeated(_ digest: UInt64) -> Bool {
        let place = Int(truncatingIfNeeded: digest) & (Self.count - 1)
        let part = UInt32(truncatingIfNeeded: digest >> 32)
        defer { self.parts[place] = part }
        return self.parts[place] == part
    }
}
