/// Why a Remote Config template says nothing that the gate could go by.
enum RemoteConfigError: Error, Equatable {
    /// The document is none, with the place in it.
    case template(String)
    case missingParameter(String)
    /// A value of a parameter is not a version.
    case unreadable(parameter: String, value: String, reason: String)
}

extension RemoteConfigError: CustomStringConvertible {
    var description: String {
        switch self {
        case .template(let problem):
            "not a Remote Config template: \(problem)"
        case .missingParameter(let name):
            "the template has no parameter '\(name)'"
        case .unreadable(let parameter, let value, let reason):
            "the parameter '\(parameter)' is '\(value)': \(reason)"
        }
    }
}
