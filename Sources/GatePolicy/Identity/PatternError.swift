/// Why a text is not a pattern.
package enum PatternError: Error, Sendable, Equatable {
    case empty
    /// The pattern is longer than is read, or repetition makes it grow beyond bounds.
    case tooComplex
    /// Something other than printable ASCII.
    case nonASCII
    /// The pattern ends within an escape, a class, a group or a repetition.
    case unfinished
    /// A character stands where it means nothing; write a backslash before it.
    case unexpected(Character)
    /// An escape or a group syntax that these patterns do not have.
    case unsupported(String)
    /// A range, of a class or of a repetition, ends before it begins.
    case reversedRange(String)
    /// A group has a name that is no part of an identity.
    case unknownGroup(String)
    /// Two groups have the same name.
    case duplicateGroup(String)
    /// No group reads the version or the build.
    case noVersion
}

extension PatternError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the pattern is empty"
        case .tooComplex:
            "the pattern is too long, or repeats too much"
        case .nonASCII:
            "the pattern holds something other than printable ASCII"
        case .unfinished:
            "the pattern ends too early"
        case .unexpected(let character):
            "'\(character)' means nothing here; write '\\\(character)' for the character itself"
        case .unsupported(let syntax):
            "'\(syntax)' is not supported in these patterns"
        case .reversedRange(let range):
            "the range '\(range)' ends before it begins"
        case .unknownGroup(let name):
            "there is no part '\(name)' of an identity; the groups are "
                + UserAgentField.allCases.map(\.rawValue).joined(separator: ", ")
        case .duplicateGroup(let name):
            "two groups are named '\(name)'"
        case .noVersion:
            "no group is named 'version' or 'build'"
        }
    }
}
