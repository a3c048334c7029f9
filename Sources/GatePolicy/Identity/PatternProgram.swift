/// A pattern as steps of a machine that runs all alternatives side by side.
///
/// Every byte of the input is looked at once by at most every step, so that no pattern and no
/// input can make it slow: a client chooses its User-Agent, and a matcher that backtracks could be
/// made to hang by it. Among several matches it prefers, as backtracking would, the leftmost one
/// and in it the earlier alternative.
struct PatternProgram: Sendable, Equatable {
    /// The largest number of steps, which bounds the time of a match.
    static let maximumSteps = 1000

    enum Step: Sendable, Equatable {
        case byte(PatternClass)
        case start, end, wordBoundary
        /// Goes on at both steps, and prefers the first.
        case fork(Int, Int)
        case jump(Int)
        /// Remembers the position as one side of a group.
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
                // Nested repetitions of nothing would count to a number without bounds.
                if self.steps.count == before { break }
            }
            guard let maximum else {
                try self.append(loop: content, isLazy: isLazy)
                return
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
        loop content: PatternSyntax,
        isLazy: Bool
    ) throws(PatternError) {
        let fork = self.steps.count
        try self.append(optional: content, isLazy: isLazy, thenJumpTo: fork)
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

    /// The number of marks: two for each field.
    static let slotCount = 2 * UserAgentField.allCases.count

    /// The mark where a field begins; the next one is where it ends.
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
