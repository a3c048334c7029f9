/// How strongly the RFC asks for what a case checks.
package enum Strength: String, Sendable, CaseIterable {
    case must = "MUST"
    case should = "SHOULD"
    /// The RFC leaves it open, but somebody could come to harm.
    case robustness = "robustness"
}
