extension Sequence where Element: Hashable {
    /// Returns the elements without duplicates, in the order of their first occurrence.
    package func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return self.filter { seen.insert($0).inserted }
    }
}
