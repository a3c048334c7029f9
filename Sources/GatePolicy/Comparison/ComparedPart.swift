/// One part of a change, cell by cell, with what is already known of each.
struct ComparedPart {
    private let world: ComparedWorld
    private let answers: ComparedAnswers
    private let old: RuleSet
    private let new: RuleSet
    private var states: [State]
    private var views: [ComparedView.Key: ComparedView] = [:]
    /// Whether it does not look at everything.
    private(set) var isSampled: Bool

    /// A cell, and what was found in it.
    private struct State {
        let cell: ComparedCell
        let key: ComparedView.Key
        var pairs: [ComparedRow.Pair] = []
        /// The second at which it may be something else; `nil`: never.
        var validUntil: Timestamp?
        var isKnown = false
    }

    /// Looks at all cells or, if there are more than that, at typical ones.
    init(
        _ world: ComparedWorld,
        _ answers: ComparedAnswers,
        old: RuleSet,
        new: RuleSet,
        atMost limit: Int
    ) {
        self.world = world
        self.answers = answers
        self.old = old
        self.new = new
        let all = world.cellCount
        var seen: Set<ComparedCell> = []
        let tried = all <= limit ? (0..<all).map(world.cell) : world.typicalCells
        let cells = tried.filter { world.isConcerned($0) && seen.insert($0).inserted }
        self.isSampled = all > limit || world.isIncomplete
        self.states = cells.map { State(cell: $0, key: ComparedView.Key($0, in: world)) }
        for key in Set(self.states.map(\.key)) {
            let view = ComparedView(key, in: world, old: old.definition, new: new.definition)
            self.views[key] = view
            if view.devices.isIncomplete { self.isSampled = true }
        }
    }

    /// The changes at a time; `next` becomes the next one at which there may be others.
    mutating func changes(at now: Timestamp, _ next: inout Timestamp?) -> [ComparedChange] {
        var rows: [ComparedRow] = []
        for index in self.states.indices {
            if !self.states[index].isKnown
                || self.states[index].validUntil.map({ $0 <= now }) == true
            {
                self.update(&self.states[index], at: now)
            }
            let state = self.states[index]
            next = Timestamp.earlier(next, state.validUntil)
            rows += state.pairs.map { ComparedRow(state.cell, $0) }
        }
        return ComparedRow.merged(rows).map { $0.change(in: self.world) }
    }

    private func update(_ state: inout State, at now: Timestamp) {
        guard let view = self.views[state.key] else { return }
        let trial = ComparedTrial(
            view,
            self.world,
            self.answers,
            state.cell,
            old: self.old,
            new: self.new
        )
        (state.pairs, state.validUntil) = trial.pairs(at: now)
        state.isKnown = true
    }
}
