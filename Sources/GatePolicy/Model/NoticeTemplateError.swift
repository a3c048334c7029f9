/// Why a text is not a notice template.
package enum NoticeTemplateError: Error, Sendable, Equatable {
    /// A name in braces is none of the known ones.
    case unknownPlaceholder(String, known: [String])
    /// A `{` has no `}` after it.
    case unclosedBrace
    /// A `}` has no `{` before it.
    case strayBrace
}

extension NoticeTemplateError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownPlaceholder(let name, let known):
            "there is no placeholder '{\(name)}'; there are "
                + known.map { "{\($0)}" }.joined(separator: ", ")
        case .unclosedBrace:
            "a '{' has no '}'; write '{{' for the brace itself"
        case .strayBrace:
            "a '}' has no '{'; write '}}' for the brace itself"
        }
    }
}
