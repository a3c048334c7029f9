/// The reason why a path and its methods are not a valid request pattern.
package enum RequestPatternError: Error, Sendable, Equatable, CustomStringConvertible {
    case empty
    case relativePath
    case tooLong
    case query
    case doubleStarInside
    case partialWildcard(String)
    case ambiguousPath
    /// A method that is not a token (RFC 9110 section 5.6.2).
    case invalidMethod(String)

    package var description: String {
        switch self {
        case .empty:
            "a path or a method is required"
        case .relativePath:
            "the path does not start with '/'"
        case .tooLong:
            "the path is longer than \(RequestPattern.maximumLength) bytes "
                + "or \(RequestPattern.maximumDepth) segments"
        case .query:
            "the path contains a '?'; queries are not matched"
        case .doubleStarInside:
            "'**' can only be the last segment of the path"
        case .partialWildcard(let segment):
            "'*' matches a whole segment and cannot be part of '\(segment)'"
        case .ambiguousPath:
            "backends may interpret this path differently; it must not contain '//', '..', ';', "
                + "'#', a backslash, a control character, or an encoded slash or percent sign"
        case .invalidMethod(let method):
            "'\(method)' is not a valid request method"
        }
    }
}
