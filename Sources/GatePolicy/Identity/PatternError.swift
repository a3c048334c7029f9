/// The reason why a string is not a valid pattern.
package enum PatternError: Error, Sendable, Equatable {
    case empty
    /// The pattern is too long, or its repetitions make it too large.
    case tooComplex
    /// The pattern contains characters other than printable ASCII.
    case nonASCII
    /// The pattern ends within an escape, a class, a group or a repetition.
    case unfinished
    /// A character has no meaning at its position; it needs a backslash.
    case unexpected(Character)
    /// An unsupported escape or group syntax.
    case unsupported(String)
    /// The bounds of a class or of a repetition are reversed.
    case reversedRange(String)
    /// The name of a group is not a part of an identity.
    case unknownGroup(String)
    /// Two groups have the same name.
    case duplicateGroup(String)
    /// No group captures the version or the build.
    case noVersion
}

extension PatternError: CustomStringConvertible {
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
