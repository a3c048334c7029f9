extension Dictionary {
    /// Creates a dictionary that keeps the first of several values with the same key.
    package init(firstOf pairs: some Sequence<(Key, Value)>) {
        self.init(pairs, uniquingKeysWith: { first, _ in first })
    }
}
