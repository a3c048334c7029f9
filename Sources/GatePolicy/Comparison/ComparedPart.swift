/// One part of a change, with the known results for each cell.
struct ComparedPart {
    private let world: ComparisonSpace
    private let answers: ComparedAnswers
    private let old: RuleSet
    private let new: RuleSet
    private var states: [State]
    private var views: [ComparedView.Key: ComparedView] = [:]
    /// Whether only some of the cells are compared.
    private(set) var isSampled: Bool

    /// A cell with its results.
    private struct State {
        let cell: ComparedCell
        let key: ComparedView.Key
        var pairs: [ComparedRow.Pair] = []
        /// The time at which the results may change; `nil` if they never change.
        var validUntil: Timestamp?
        var isKnown = false
    }

    /// Compares all cells, or only typical cells if there are more than `limit`.
    init(
        _ world: ComparisonSpace,
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
        let tried = all <= limit ? (0..<all).map(world.cell) : world.typicalCells
        let cells = tried.filter { world.isConcerned($0) }.uniqued()
        self.isSampled = all > limit || world.isIncomplete
        self.states = cells.map { State(cell: $0, key: ComparedView.Key($0, in: world)) }
        for key in Set(self.states.map(\.key)) {
            let view = ComparedView(key, in: world, old: old.definition, new: new.definition)
            self.views[key] = view
            if view.devices.isIncomplete { self.isSampled = true }
        }
    }

    /// Returns the changes at the given time.
    ///
    /// Sets `next` to the next time at which the changes may differ.
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
