/// The matching of a pattern against a string.
struct PatternMatch {
    /// A path through the program that may still match.
    private struct Path {
        var step: Int
        /// The recorded positions of group bounds; a position is `nil` if the path did not reach
        /// the bound.
        var marks: [Int?]
    }

    private let program: PatternProgram
    private let text: [UInt8]
    /// The position at which each step was last visited.
    ///
    /// A second visit at the same position is redundant.
    private var visited: [Int]
    private var marks: [Int?]?

    /// Searches `text` for a match; returns `nil` if the pattern does not match.
    init?(of program: PatternProgram, in text: [UInt8]) {
        self.program = program
        self.text = text
        self.visited = Array(repeating: -1, count: program.steps.count)
        self.search()
        if self.marks == nil { return nil }
    }

    /// The text that a group captured; `nil` if the group did not participate in the match.
    subscript(_ field: UserAgentField) -> String? {
        let slot = PatternProgram.slot(of: field)
        guard let marks = self.marks, let start = marks[slot], let end = marks[slot + 1],
            start <= end
        else { return nil }
        return String(decoding: self.text[start..<end], as: UTF8.self)
    }

    private mutating func search() {
        let unmarked = [Int?](repeating: nil, count: PatternProgram.slotCount)
        var paths: [Path] = []
        for position in 0...self.text.count {
            // The leftmost match wins, so no path starts after a match is found.
            if self.marks == nil { paths.append(Path(step: 0, marks: unmarked)) }
            guard !paths.isEmpty else { return }
            paths = self.advance(paths, at: position)
        }
    }

    /// Advances all paths past the byte at a position, in order of preference.
    private mutating func advance(_ paths: [Path], at position: Int) -> [Path] {
        var advanced: [Path] = []
        // `pending` is a stack, with the preferred path last.
        var pending = Array(paths.reversed())
        while var path = pending.popLast() {
            guard self.visited[path.step] != position else { continue }
            self.visited[path.step] = position
            switch self.program.steps[path.step] {
            case .byte(let set):
                guard position < self.text.count, set.contains(self.text[position]) else {
                    continue
                }
                path.step += 1
                advanced.append(path)
            case .start:
                guard position == 0 else { continue }
                path.step += 1
                pending.append(path)
            case .end:
                guard position == self.text.count else { continue }
                path.step += 1
                pending.append(path)
            case .wordBoundary:
                guard self.isWordBoundary(position) else { continue }
                path.step += 1
                pending.append(path)
            case .fork(let preferred, let other):
                pending.append(Path(step: other, marks: path.marks))
                pending.append(Path(step: preferred, marks: path.marks))
            case .jump(let target):
                path.step = target
                pending.append(path)
            case .mark(let slot):
                path.step += 1
                path.marks[slot] = position
                pending.append(path)
            case .match:
                // The remaining paths have lower preference.
                self.marks = path.marks
                return advanced
            }
        }
        return advanced
    }

    private func isWordBoundary(_ position: Int) -> Bool {
        let before = position > 0 && PatternClass.words.contains(self.text[position - 1])
        let after =
            position < self.text.count && PatternClass.words.contains(self.text[position])
        return before != after
    }
}
