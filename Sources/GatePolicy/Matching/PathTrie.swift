/// A tree that finds the path patterns that a path matches, in time independent of the number of
/// patterns.
///
/// The tree is stored in a few flat arrays, so that a lookup allocates nothing and does not change
/// reference counts, for which all event loops would contend.
struct PathTrie: Sendable {
    struct Node: Sendable {
        /// The range of the labeled children in `edges`, sorted by label.
        var edges: Range<Int> = 0..<0
        /// The index of the child for `*`, which matches any one segment; `nil` if there is none.
        var anyOne: Int?
        /// The range of the patterns that end at this node.
        var here: Range<Int> = 0..<0
        /// The range of the patterns that match this node and everything below it.
        var below: Range<Int> = 0..<0
    }

    struct Edge: Sendable {
        let label: Range<Int>
        let child: Int
    }

    /// The nodes, starting with the root.
    private let nodes: [Node]
    private let edges: [Edge]
    private let labels: [UInt8]
    private let patterns: [PatternEntry]
    private let methodNumbers: [Int]
    /// Whether labels are in lower case, and paths are converted to lower case for comparison.
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

    /// Adds all patterns that match a method and the first `count` bytes of a path.
    func match(
        _ path: borrowing Span<UInt8>,
        count: Int,
        _ method: Int?,
        into matches: inout PatternSet
    ) {
        self.visit(0, path, from: 1, count: count, method, &matches)
    }

    /// Visits a node with the segments from `start` to the end of the path at `count`.
    ///
    /// The recursion depth is limited by the deepest pattern, and does not depend on the path.
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

    /// Returns the child whose label equals the segment; `nil` if there is none.
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

    /// Returns a number less than, equal to or greater than zero if the segment sorts before,
    /// equals or sorts after the label.
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

/// An entry of the matcher for a request pattern, with the pattern's number and methods.
struct PatternEntry: Sendable {
    let number: Int
    /// The range of the pattern's methods in the list of method numbers; `nil` if the pattern
    /// accepts all methods.
    let methods: Range<Int>?

    /// Whether the pattern accepts the method with the given number.
    func accepts(_ method: Int?, in numbers: [Int]) -> Bool {
        guard let methods = self.methods else { return true }
        guard let method else { return false }
        for index in methods where numbers[index] == method { return true }
        return false
    }
}
