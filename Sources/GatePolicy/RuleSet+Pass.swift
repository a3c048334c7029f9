/// Passes.
extension RuleSet {
    /// Whether the rules revoke a pass.
    package func revokes(_ pass: Pass) -> Bool { self.definition.revokedPasses.contains(pass.id) }
}
