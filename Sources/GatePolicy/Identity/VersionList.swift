/// A line that states versions, or one of them and a comma, and nothing beside them.
struct VersionList {
    /// Whether there is more than is read.
    private(set) var isTooMuch = false
    /// Whether all values are one version.
    private(set) var isOne = true
    /// The first value.
    private(set) var first: Range<Int>?
    /// The first of those that can be read and come before all others.
    private(set) var lowest: Range<Int>?

    /// - Returns: `nil` for a line with a platform or a build, and for one that states nothing.
    init?(_ line: Span<UInt8>) {
        guard line.count <= IdentityLimits.lineLength else {
            self.isTooMuch = true
            return
        }
        guard line.firstIndex(of: UInt8(ascii: "/")) == nil,
            line.firstIndex(of: UInt8(ascii: "(")) == nil,
            line.firstIndex(of: UInt8(ascii: "+")) == nil
        else { return nil }
        // A list that is too long is not compared.
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
