/// The reason why a string is not a valid pattern.
package enum PatternError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case tooComplex
    case nonASCII
    /// The pattern ends within an escape, a class, a group or a repetition.
    case unfinished
    case unexpected(Character)
    case unsupported(String)
    /// The lower bound of a class or a repetition is higher than the upper bound.
    case reversedRange(String)
    case unknownGroup(String)
    case duplicateGroup(String)
    case noVersion

    package var description: String {
        switch self {
        case .empty:
            "the pattern is empty"
        case .tooComplex:
            "the pattern is too long, or its repetitions are too large"
        case .nonASCII:
            "the pattern contains characters other than printable ASCII"
        case .unfinished:
            "the pattern is incomplete"
        case .unexpected(let character):
            "unexpected '\(character)'; write '\\\(character)' for the literal character"
        case .unsupported(let syntax):
            "'\(syntax)' is not supported in these patterns"
        case .reversedRange(let range):
            "the range '\(range)' is reversed"
        case .unknownGroup(let name):
            "unknown group '\(name)'; the groups are "
                + UserAgentField.allCases.map(\.rawValue).joined(separator: ", ")
        case .duplicateGroup(let name):
            "two groups are named '\(name)'"
        case .noVersion:
            "no group is named 'version' or 'build'"
        }
    }
}
