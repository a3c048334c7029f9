internal import GateRules
/// The reason why a Remote Config template cannot be used.
enum RemoteConfigError: Error, Equatable {
    /// The document is not a template; the message includes the location.
    case template(String)
    /// The template has none of the parameters that can state a requirement; the payload contains
    /// their names.
    case missingParameters([String])
    /// The parameter does not exist, but one with a similar name does.
    case misspelt(parameter: String, found: String)
    /// Only Firebase can determine the value of the parameter, or the value has the wrong form.
    case unknowable(parameter: String, reason: String)
    /// A value of the parameter is not a valid version, build or time.
    case unreadable(parameter: String, value: String, reason: String)
}

extension RemoteConfigError: CustomStringConvertible {
    var description: String {
        switch self {
        case .template(let problem):
            "not a Remote Config template: \(problem)"
        case .missingParameters(let names):
            "the template has no parameter "
                + names.map { "'\($0)'" }.joined(separator: " or ")
        case .misspelt(let name, let found):
            "the template has no parameter '\(name)'; did you mean '\(found)'? Map it under "
                + "'fields', or add '\(name)' with an empty string to require nothing"
        case .unknowable(let parameter, let reason):
            "the parameter '\(parameter)' \(reason)"
        case .unreadable(let parameter, let value, let reason):
            "the parameter '\(parameter)' is '\(value)': \(reason)"
        }
    }
}
