/// A filter that detects digests that were seen recently.
///
/// In a flood of made-up versions, each version is seen only once. Caching the verdicts on these
/// versions would cost as much as computing them, and would evict verdicts that are needed again.
struct RepetitionFilter {
    /// The number of entries; a power of two.
    private static let count = 4096

    /// A part of each of the most recent digests.
    private var parts = [UInt32](repeating: 0, count: Self.count)

    /// Whether the digest was seen recently; digests with the same stored part count as equal.
    mutating func isRepeated(_ digest: UInt64) -> Bool {
        let place = Int(truncatingIfNeeded: digest) & (Self.count - 1)
        let part = UInt32(truncatingIfNeeded: digest >> 32)
        defer { self.parts[place] = part }
        return self.parts[place] == part
    }
}
