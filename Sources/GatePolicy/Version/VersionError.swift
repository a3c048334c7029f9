/// The reason why a string is not a valid version.
package enum VersionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The string is empty or contains only whitespace.
    ///
    /// An empty version from a client counts as missing instead.
    case empty
    case tooLong
    case tooManyParts
    case emptyPart
    case notANumber(String)
    case invalidPrerelease(String)
    case invalidBuildMetadata(String)
    /// A string in the position of a build is not one to four numbers below 2^64.
    case invalidBuildNumber(String)

    package var description: String {
        switch self {
        case .empty:
            "the version is empty"
        case .tooLong:
            "the version is longer than \(AppVersion.maximumLength) bytes"
        case .tooManyParts:
            "the version has more than \(AppVersion.maximumParts) parts"
        case .emptyPart:
            "a part of the version is empty"
        case .notANumber(let part):
            "'\(part)' is not a number in ASCII digits"
        case .invalidPrerelease(let text):
            "'\(text)' is not a valid pre-release; expected identifiers such as 'rc.1'"
        case .invalidBuildMetadata(let text):
            "'\(text)' is not valid build metadata; expected identifiers such as '45'"
        case .invalidBuildNumber(let text):
            "'\(text)' is not a build number"
        }
    }
}
