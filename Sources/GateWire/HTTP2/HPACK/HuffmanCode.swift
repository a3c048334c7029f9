/// The Huffman code of HPACK (RFC 7541 Appendix B), decoded four bits at a time.
enum HuffmanCode {
    /// The symbols of each code length, in the order of their codes.
    ///
    /// The code is canonical, so these lengths define it completely. Symbol 256 is the end of the string.
    private static let lengths: [(bits: Int, symbols: [Int])] = [
        (5, [48, 49, 50, 97, 99, 101, 105, 111, 115, 116]),
        (
            6,
            [32, 37, 45, 46, 47] + Array(51...57)
                + [61, 65, 95, 98, 100, 102, 103, 104, 108, 109, 110, 112, 114, 117]
        ),
        (7, [58] + Array(66...87) + [89, 106, 107, 113, 118] + Array(119...122)),
        (8, [38, 42, 44, 59, 88, 90]),
        (10, [33, 34, 40, 41, 63]),
        (11, [39, 43, 124]),
        (12, [35, 62]),
        (13, [0, 36, 64, 91, 93, 126]),
        (14, [94, 125]),
        (15, [60, 96, 123]),
        (19, [92, 195, 208]),
        (20, [128, 130, 131, 162, 184, 194, 224, 226]),
        (21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]),
        (
            22,
            [129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181]
                + [185, 186, 187, 189, 190, 196, 198, 228, 232, 233]
        ),
        (
            23,
            [1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158]
                + [165, 166, 168, 174, 175, 180, 182, 183, 188, 191, 197, 231, 239]
        ),
        (24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]),
        (25, [199, 207, 234, 235]),
        (26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]),
        (
            27,
            [203, 204, 211, 212, 214, 221, 222, 223] + [241] + Array(244...248)
                + Array(250...254)
        ),
        (
            28,
            Array(2...8) + [11, 12] + Array(14...21) + Array(23...31) + [127, 220, 249]
        ),
        (30, [10, 13, 22, 256]),
    ]

    private static let endOfString = 256

    /// The result of reading four bits at a node of the code tree.
    private struct Step {
        /// The node at which the next four bits are read.
        var next: UInt8 = 0
        var symbol: UInt8 = 0
        var hasSymbol = false
        /// Whether the bits contain the end-of-string code, which is not allowed (RFC 7541 section 5.2).
        var fails = false
    }

    /// The steps from each node, one for each of the sixteen values of four bits.
    private static let steps: [Step] = Self.makeSteps()
    /// Whether a string may end at each node.
    ///
    /// This requires that fewer than eight bits follow the last symbol, and that all of them are
    /// ones (RFC 7541 section 5.2).
    private static let mayEnd: [Bool] = Self.makeEnds()

    /// The code tree: the children of each node, for a zero and for a one.
    ///
    /// A child is the index of a node or, from `firstLeaf` on, `firstLeaf` plus a symbol.
    private static let tree: [(zero: Int, one: Int)] = Self.makeTree()
    private static let firstLeaf = 1000

    private static func makeTree() -> [(zero: Int, one: Int)] {
        var tree = [(zero: -1, one: -1)]
        var code = 0
        var bits = 0
        for group in self.lengths {
            code <<= group.bits - bits
            bits = group.bits
            for symbol in group.symbols {
                self.insert(symbol, code: code, bits: bits, into: &tree)
                code += 1
            }
        }
        return tree
    }

    private static func insert(
        _ symbol: Int,
        code: Int,
        bits: Int,
        into tree: inout [(zero: Int, one: Int)]
    ) {
        var node = 0
        for bit in (0..<bits).reversed() {
            let isOne = code >> bit & 1 == 1
            var next = isOne ? tree[node].one : tree[node].zero
            if next < 0 {
                next = bit == 0 ? self.firstLeaf + symbol : tree.count
                if isOne { tree[node].one = next } else { tree[node].zero = next }
                if bit > 0 { tree.append((zero: -1, one: -1)) }
            }
            node = next
        }
    }

    private static func makeSteps() -> [Step] {
        var steps: [Step] = []
        for node in self.tree.indices {
            for nibble in 0..<16 { steps.append(self.step(from: node, nibble)) }
        }
        return steps
    }

    private static func step(from start: Int, _ nibble: Int) -> Step {
        var step = Step()
        var node = start
        for bit in (0..<4).reversed() {
            node = nibble >> bit & 1 == 1 ? self.tree[node].one : self.tree[node].zero
            guard node >= self.firstLeaf else { continue }
            let symbol = node - self.firstLeaf
            guard symbol != self.endOfString else {
                step.fails = true
                return step
            }
            // Each code has at least five bits, so at most one code ends within four bits.
            step.symbol = UInt8(symbol)
            step.hasSymbol = true
            node = 0
        }
        step.next = UInt8(node)
        return step
    }

    private static func makeEnds() -> [Bool] {
        var ends = Array(repeating: false, count: self.tree.count)
        var node = 0
        for _ in 0..<8 {
            ends[node] = true
            node = self.tree[node].one
        }
        return ends
    }

    /// Decodes a range of bytes, appending at most eight bytes for every five bytes.
    ///
    /// - Returns: Whether the encoding is valid.
    static func decode(
        _ bytes: Span<UInt8>,
        from start: Int,
        to end: Int,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        let steps = self.steps
        var node = 0
        for index in start..<end {
            let byte = Int(bytes[index])
            let high = steps[node << 4 | byte >> 4]
            if high.hasSymbol { output.append(high.symbol) }
            let low = steps[Int(high.next) << 4 | byte & 0xF]
            if low.hasSymbol { output.append(low.symbol) }
            if high.fails || low.fails { return false }
            node = Int(low.next)
        }
        return self.mayEnd[node]
    }
}
