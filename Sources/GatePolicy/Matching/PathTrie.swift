/// Finds the path patterns that a path matches, in a time that does not grow with their number.
///
/// The tree lies flat in a few arrays: a walk counts no references, which all event loops would
/// contend for, and allocates nothing.
struct PathTrie: Sendable {
    struct Node: Sendable {
        /// The named children, in the order of their labels.
        var edges: Range<Int> = 0..<0
        /// The child for any one segment.
        var anyOne: Int?
        /// The patterns that end here.
        var here: Range<Int> = 0..<0
        /// The patterns that include everything from here on.
        var below: Range<Int> = 0..<0
    }

    struct Edge: Sendable {
        let label: Range<Int>
        let child: Int
    }

    /// The root is the first node.
    private let nodes: [Node]
    private let edges: [Edge]
    private let labels: [UInt8]
    private let patterns: [PatternEntry]
    private let methodNumbers: [Int]
    /// Whether labels are lower case and the path is to be compared as such.
    private let foldsCase: Bool

    init(_ builder: PathTrieBuilder, methodNumbers: [Int], foldsCase: Bool) {
        let flat = builder.flattened()
        self.nodes = flat.nodes
        self.edges = flat.edges
        self.labels = flat.labels
        self.patterns = flat.patterns
        self.methodNumbers = methodNumbers
        self.foldsCase = foldsCase
    }

    /// Collects every pattern that the first `count` bytes of a path match with a method.
    func match(
        _ path: borrowing Span<UInt8>,
        count: Int,
        _ method: Int?,
        into matches: inout PatternSet
    ) {
        self.visit(0, path, from: 1, count: count, method, &matches)
    }

    /// Visits a node with the segments that begin at `start`; beyond `count` there are none.
    ///
    /// The recursion is as deep as the deepest pattern, whatever the path is.
    private func visit(
        _ index: Int,
        _ path: borrowing Span<UInt8>,
        from start: Int,
        count: Int,
        _ method: Int?,
        _ matches: inout PatternSet
    ) {
        let node = self.nodes[index]
        self.collect(node.below, method, &matches)
        guard start <= count else {
            self.collect(node.here, method, &matches)
            return
        }
        guard !node.edges.isEmpty || node.anyOne != nil else { return }
        var end = start
        while end < count, path[end] != UInt8(ascii: "/") { end += 1 }
        if let child = self.child(of: node, path, start..<end) {
            self.visit(child, path, from: end + 1, count: count, method, &matches)
        }
        if let child = node.anyOne, start < end {
            self.visit(child, path, from: end + 1, count: count, method, &matches)
        }
    }

    private func collect(_ places: Range<Int>, _ method: Int?, _ matches: inout PatternSet) {
        for place in places where self.patterns[place].accepts(method, in: self.methodNumbers) {
            matches.insert(self.patterns[place].number)
        }
    }

    /// The child with this segment as its label.
    private func child(
        of node: Node,
        _ path: borrowing Span<UInt8>,
        _ segment: Range<Int>
    ) -> Int? {
        var candidates = node.edges
        while !candidates.isEmpty {
            let middle = candidates.lowerBound + candidates.count / 2
            let edge = self.edges[middle]
            let order = self.compare(path, segment, edge.label)
            if order == 0 { return edge.child }
            candidates =
                order < 0
                ? candidates.lowerBound..<middle : middle + 1..<candidates.upperBound
        }
        return nil
    }

    /// Less than, equal to or greater than zero, as the segment comes before, is, or comes after
    /// the label.
    private func compare(
        _ path: borrowing Span<UInt8>,
        _ segment: Range<Int>,
        _ label: Range<Int>
    ) -> Int {
        for offset in 0..<min(segment.count, label.count) {
            let raw = path[segment.lowerBound + offset]
            let byte = self.foldsCase ? raw.lowercased : raw
            let other = self.labels[label.lowerBound + offset]
            if byte != other { return Int(byte) - Int(other) }
        }
        return segment.count - label.count
    }
}

/// A request pattern as the matcher keeps it: its number, and the methods that it takes.
struct PatternEntry: Sendable {
    let number: Int
    /// The range of its methods' numbers in a list of all; `nil` for every method.
    let methods: Range<Int>?

    /// Whether the pattern takes a method, known by its number in the list.
    func accepts(_ method: Int?, in numbers: [Int]) -> Bool {
        guard let methods = self.methods else { return true }
        guard let method else { return false }
        for index in methods where numbers[index] == method { return true }
        return false
    }
}
