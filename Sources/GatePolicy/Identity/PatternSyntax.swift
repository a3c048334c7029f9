/// The parsed form of a User-Agent pattern.
///
/// The syntax is the part of common regular expressions that always runs in linear time:
/// characters, `.`, classes, groups, alternatives, repetition, `^`, `$` and `\b`. There are no back
/// references and no look-around.
indirect enum PatternSyntax: Equatable {
    case empty
    case bytes(PatternClass)
    case start
    case end
    case wordBoundary
    case sequence([PatternSyntax])
    case alternatives([PatternSyntax])
    case group(UserAgentField, PatternSyntax)
    /// Repetition; without a maximum as often as possible. A lazy one prefers fewer turns.
    case repetition(PatternSyntax, minimum: Int, maximum: Int?, isLazy: Bool)
}
