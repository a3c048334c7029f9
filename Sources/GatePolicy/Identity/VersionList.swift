/// A line with one or more versions, without platforms or builds.
struct VersionList {
    /// Whether the line exceeds the limits.
    private(set) var isTooMuch = false
    /// Whether all values are the same version.
    private(set) var isOne = true
    private(set) var first: Range<Int>?
    /// The lowest version that can be parsed, or the first of several equal lowest versions.
    private(set) var lowest: Range<Int>?

    /// Parses a line; returns `nil` if the line contains a platform, a build, or no value.
    init?(_ line: Span<UInt8>) {
        guard line.count <= IdentityLimits.lineLength else {
            self.isTooMuch = true
            return
        }
        guard
            !line.contains(oneOf: UInt8(ascii: "/"), UInt8(ascii: "("), UInt8(ascii: "+"))
        else { return nil }
        // The versions in a list that exceeds the limits are not compared.
        var counter = ListReader()
        let extent = counter.read(line, 0..<line.count, isList: true) { _ in true }
        guard counter.values > 0 else { return nil }
        guard extent == nil else {
            self.isTooMuch = true
            return
        }
        var (isOne, first, lowest): (Bool, Range<Int>?, Range<Int>?) = (true, nil, nil)
        var known: WrittenVersion?
        var reader = ListReader()
        _ = reader.read(line, 0..<line.count, isList: true) { place in
            first = first ?? place
            guard let version = WrittenVersion(in: line, at: place) else {
                isOne = false
                return true
            }
            let order = known.map { version.order(to: $0, in: line) }
            if let order, order != 0 { isOne = false }
            if order.map({ $0 < 0 }) ?? true { (known, lowest) = (version, place) }
            return true
        }
        (self.isOne, self.first, self.lowest) = (isOne, first, lowest)
    }
}
