/// One thing in which clients can differ, with all values that two rule sets can tell apart.
struct ComparedDimension<Value: Sendable>: Sendable {
    let values: [Value]
    let labels: [String]
    /// Whether there are no other values, which are of no concern here.
    private let isWhole: Bool

    init(_ values: [(Value, String)], isWhole: Bool = true) {
        self.isWhole = isWhole
        self.values = values.map(\.0)
        self.labels = values.map(\.1)
    }

    /// The same values as something else.
    func map<Other>(_ transform: (Value) -> Other) -> ComparedDimension<Other> {
        ComparedDimension<Other>(
            zip(self.values, self.labels).map { (transform($0), $1) },
            isWhole: self.isWhole
        )
    }

    /// The values in words; `nil` for all of them.
    func words(_ chosen: Set<Int>) -> ComparedChoice? {
        let others = self.labels.indices.filter { !chosen.contains($0) }
        guard !others.isEmpty || !self.isWhole else { return nil }
        let isMost = self.isWhole && others.count < chosen.count
        return isMost
            ? .allBut(others.map { self.labels[$0] })
            : .only(chosen.sorted().map { self.labels[$0] })
    }
}

/// Some of the values of a dimension, named or left out by name; what a client does not say is an
/// empty name, `?` what cannot be read, and `*` any that the rules in question do not name.
package enum ComparedChoice: Sendable, Equatable {
    case only([String])
    case allBut([String])
}
