package import GatePolicy

/// Rules that the circuit breaker has set to observe mode.
extension RuleSetDefinition {
    /// Returns the definition with the given rules set to observe mode.
    package func observing(_ names: Set<String>) -> RuleSetDefinition {
        var definition = self
        for index in definition.rules.indices where names.contains(definition.rules[index].id) {
            definition.rules[index].observe()
        }
        if names.contains(RuleExpectation.unidentified) { definition.unidentified.observe() }
        return definition
    }

    /// Returns the names of the rules that are in observe mode only in `acting`, for `observing(_:)`.
    func names(observedIn acting: RuleSetDefinition) -> Set<String> {
        var names = Set(zip(self.rules, acting.rules).filter { $0 != $1 }.map(\.0.id))
        if self.unidentified != acting.unidentified { names.insert(RuleExpectation.unidentified) }
        return names
    }
}

extension UnidentifiedPolicy {
    fileprivate mutating func observe() {
        func observed(_ action: Action) -> Action { action == .reject ? .observe : action }
        self.missing = observed(self.missing)
        self.unreadable = observed(self.unreadable)
        for index in self.paths.indices {
            self.paths[index].missing = self.paths[index].missing.map(observed)
            self.paths[index].unreadable = self.paths[index].unreadable.map(observed)
        }
    }
}
