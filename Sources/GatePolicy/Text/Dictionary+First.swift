extension Dictionary {
    /// Creates a dictionary; of several values with the same key, the first is kept.
    package init(firstOf pairs: some Sequence<(Key, Value)>) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}
