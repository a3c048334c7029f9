/// Why a text is not a version range.
package enum VersionRangeError: Error, Sendable, Equatable {
    case empty
    /// An operator has no version.
    case missingVersion(String)
    /// A word is not a version, for this reason.
    case invalidVersion(String, VersionError)
    /// A series has an operator in front: `>=3.x`.
    case comparedSeries(String)
    /// A wildcard stands alone and would contain every version.
    case seriesWithoutNumber
}

extension VersionRangeError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "the range is empty"
        case .missingVersion(let relation):
            "a version is missing beside '\(relation)'"
        case .invalidVersion(let text, let error):
            "'\(text)' is not a version: \(error)"
        case .comparedSeries(let text):
            "'\(text)' is a series of versions and takes no operator"
        case .seriesWithoutNumber:
            "a wildcard needs a number before it, such as '3.x'"
        }
    }
}
