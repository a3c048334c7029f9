/// Tells what was asked for before, and not long ago, from what is asked for once.
///
/// A flood of made-up versions asks for each once. To keep what it asks for costs as much as to work it out, and takes the
/// place of what others ask for again and again.
struct RepetitionFilter {
    /// A power of two.
    private static let count = 4096

    /// Parts of the digests that were asked for last.
    private var parts = [UInt32](repeating: 0, count: Self.count)

    /// Whether the same digest was asked for before; another one with the same part is taken for it.
    mutating func isRepeated(_ digest: UInt64) -> Bool {
        let place = Int(truncatingIfNeeded: digest) & (Self.count - 1)
        let part = UInt32(truncatingIfNeeded: digest >> 32)
        defer { self.parts[place] = part }
        return self.parts[place] == part
    }
}
