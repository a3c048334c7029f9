/// A builder for the tree of all path patterns, before the tree is flattened.
struct PathTrieBuilder {
    private struct Node {
        var children: [[UInt8]: Int] = [:]
        var anyOne: Int?
        var here: [PatternEntry] = []
        var below: [PatternEntry] = []
    }

    /// The arrays of a `PathTrie`.
    struct Flat {
        var nodes: [PathTrie.Node] = []
        var edges: [PathTrie.Edge] = []
        var labels: [UInt8] = []
        var patterns: [PatternEntry] = []
    }

    private var nodes = [Node()]

    /// Adds a pattern whose literals are in the spelling in which paths are compared.
    mutating func add(_ segments: [RequestPattern.Segment], as pattern: PatternEntry) {
        var node = 0
        for segment in segments {
            switch segment {
            case .literal(let label):
                let child = self.nodes[node].children[label] ?? self.newNode()
                self.nodes[node].children[label] = child
                node = child
            case .anyOne:
                let child = self.nodes[node].anyOne ?? self.newNode()
                self.nodes[node].anyOne = child
                node = child
            case .anythingBelow:
                self.nodes[node].below.append(pattern)
                return
            }
        }
        self.nodes[node].here.append(pattern)
    }

    private mutating func newNode() -> Int {
        self.nodes.append(Node())
        return self.nodes.count - 1
    }

    func flattened() -> Flat {
        var flat = Flat()
        for node in self.nodes {
            let edges = flat.edges.count
            let children = node.children.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            for (label, child) in children {
                let start = flat.labels.count
                flat.labels += label
                flat.edges.append(.init(label: start..<flat.labels.count, child: child))
            }
            let here = flat.patterns.count
            flat.patterns += node.here
            let below = flat.patterns.count
            flat.patterns += node.below
            flat.nodes.append(
                PathTrie.Node(
                    edges: edges..<flat.edges.count,
                    anyOne: node.anyOne,
                    here: here..<below,
                    below: below..<flat.patterns.count
                )
            )
        }
        return flat
    }
}
