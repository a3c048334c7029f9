internal import GatePolicy

extension RuleDefinition {
    /// Whether the floor of the rule holds for everybody at all times.
    var alwaysEnforces: Bool {
        self.mode == .enforce && self.schedule == .always && self.rollout.isEmpty
            && self.maintenance == nil && self.holdUntilInStore == nil
    }
}
