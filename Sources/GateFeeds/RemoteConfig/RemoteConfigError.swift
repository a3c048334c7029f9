internal import GateRules

/// Why a Remote Config template says nothing that the gate could go by.
enum RemoteConfigError: Error, Equatable {
    /// The document is none, with the place in it.
    case template(String)
    /// There is none of the parameters that ask for something, which are these.
    case missingParameters([String])
    /// There is no such parameter, and one whose name is near.
    case misspelt(parameter: String, found: String)
    /// Only Firebase knows what the clients have for a parameter.
    case unknowable(parameter: String, reason: String)
    /// A value of a parameter is not a version.
    case unreadable(parameter: String, value: String, reason: String)
}

extension RemoteConfigError: CustomStringConvertible {
    var description: String {
        switch self {
        case .template(let problem):
            "not a Remote Config template: \(problem)"
        case .missingParameters(let names):
            "the template has no parameter "
                + names.map { "'\($0)'" }.joined(separator: ", and no ")
        case .misspelt(let name, let found):
            "the template has no parameter '\(name)'; did you mean '\(found)'? Name it under "
                + "'fields', or else add '\(name)' with an empty text, which asks nothing"
        case .unknowable(let parameter, let reason):
            "the parameter '\(parameter)' \(reason)"
        case .unreadable(let parameter, let value, let reason):
            "the parameter '\(parameter)' is '\(value)': \(reason)"
        }
    }
}
