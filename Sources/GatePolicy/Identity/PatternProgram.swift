/// A compiled pattern for a machine that follows all alternatives in parallel.
///
/// Each step processes each byte of the input at most once, so neither the pattern nor the input
/// can make a match slow. With a backtracking matcher, clients could stall the gate with their
/// `User-Agent`. If there are several matches, the leftmost match with the earliest alternatives
/// wins, as with backtracking.
struct PatternProgram: Sendable, Equatable {
    /// The maximum number of steps, which limits the matching time.
    static let maximumSteps = 1000

    enum Step: Sendable, Equatable {
        case byte(PatternClass)
        case start, end, wordBoundary
        /// Continues at both steps, and prefers the first.
        case fork(Int, Int)
        case jump(Int)
        /// Records the position as the start or the end of a group.
        case mark(Int)
        case match
    }

    private(set) var steps: [Step] = []

    init(_ syntax: PatternSyntax) throws(PatternError) {
        try self.append(syntax)
        try self.append(step: .match)
    }

    private mutating func append(step: Step) throws(PatternError) {
        guard self.steps.count < Self.maximumSteps else { throw .tooComplex }
        self.steps.append(step)
    }

    private mutating func append(_ syntax: PatternSyntax) throws(PatternError) {
        switch syntax {
        case .empty: break
        case .bytes(let set): try self.append(step: .byte(set))
        case .start: try self.append(step: .start)
        case .end: try self.append(step: .end)
        case .wordBoundary: try self.append(step: .wordBoundary)
        case .sequence(let parts):
            for part in parts { try self.append(part) }
        case .alternatives(let branches):
            try self.append(alternatives: branches[...])
        case .group(let field, let content):
            try self.append(step: .mark(Self.slot(of: field)))
            try self.append(content)
            try self.append(step: .mark(Self.slot(of: field) + 1))
        case .repetition(let content, let minimum, let maximum, let isLazy):
            for _ in 0..<minimum {
                let before = self.steps.count
                try self.append(content)
                // Nested repetitions of empty content would otherwise multiply without limit.
                if self.steps.count == before { break }
            }
            guard let maximum else {
                let fork = self.steps.count
                return try self.append(optional: content, isLazy: isLazy, thenJumpTo: fork)
            }
            for _ in minimum..<maximum { try self.append(optional: content, isLazy: isLazy) }
        }
    }

    private mutating func append(
        alternatives: ArraySlice<PatternSyntax>
    ) throws(PatternError) {
        guard let first = alternatives.first else { return }
        guard alternatives.count > 1 else { return try self.append(first) }
        let fork = self.steps.count
        try self.append(step: .fork(fork + 1, fork + 1))
        try self.append(first)
        let jump = self.steps.count
        try self.append(step: .jump(jump))
        self.steps[fork] = .fork(fork + 1, self.steps.count)
        try self.append(alternatives: alternatives.dropFirst())
        self.steps[jump] = .jump(self.steps.count)
    }

    private mutating func append(
        optional content: PatternSyntax,
        isLazy: Bool,
        thenJumpTo target: Int? = nil
    ) throws(PatternError) {
        let fork = self.steps.count
        try self.append(step: .fork(fork + 1, fork + 1))
        try self.append(content)
        if let target { try self.append(step: .jump(target)) }
        let after = self.steps.count
        self.steps[fork] = isLazy ? .fork(after, fork + 1) : .fork(fork + 1, after)
    }

    /// The number of marks: two per field.
    static let slotCount = 2 * UserAgentField.allCases.count

    /// Returns the index of the mark for the start of a field.
    ///
    /// The next index is the mark for the end of the field.
    static func slot(of field: UserAgentField) -> Int {
        switch field {
        case .app: 0
        case .platform: 2
        case .version: 4
        case .build: 6
        case .channel: 8
        case .osVersion: 10
        }
    }
}
