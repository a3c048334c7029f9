internal import FoundationEssentials
internal import GateRules

/// A Remote Config template from the REST API (`projects.getRemoteConfig`, v1).
struct RemoteConfigTemplate {
    /// The value of a parameter: its default, or the value for a condition.
    enum Value: Equatable {
        case text(String)
        /// A value that a pointer selects in a JSON string; a selected string is `text`.
        case json(JSONValue)
        /// The default value in the app's code, which the gate cannot read.
        case inAppDefault
        /// Values for some of the clients, selected by a rollout or an experiment.
        case drawn([String])
        /// A value that Firebase selects for each client.
        case personalized
        /// An unknown kind of value, or an invalid value, with the reason.
        case unreadable(String)
    }

    struct Parameter {
        var defaultValue: Value?
        var conditionalValues: [String: Value]
        /// Whether the console shows the values as numbers; they are encoded as strings in either
        /// case.
        var isNumber = false
    }

    /// The conditions in order of priority: the first one that is met applies.
    let conditions: [(name: String, condition: RemoteConfigCondition)]
    let parameters: [String: Parameter]
    /// The version number of the published template; `nil` if it is missing.
    let version: String?

    /// Whether values may change without a new template, merely because time passes.
    var isTimed: Bool { self.conditions.contains { $0.condition.isTimed } }

    /// Parses a template.
    ///
    /// - Throws: `RemoteConfigError.template`, with the location in the document.
    init(json: [UInt8]) throws(RemoteConfigError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch let error as DecodingError {
            throw .template(error.problem)
        } catch {
            throw .template("\(error)")
        }
        self.conditions = (document.conditions ?? []).map {
            ($0.name, RemoteConfigConditionParser.parse($0.expression))
        }
        var parameters = (document.parameters ?? [:]).mapValues(\.parameter)
        for group in (document.parameterGroups ?? [:]).values {
            // Firebase keeps names unique; if a name is not unique, the value that apps receive is
            // unknown.
            let twice = Value.unreadable(
                "it is defined twice: in two groups, or both in a group and outside all groups"
            )
            parameters.merge((group.parameters ?? [:]).mapValues(\.parameter)) { _, _ in
                Parameter(defaultValue: twice, conditionalValues: [:])
            }
        }
        self.parameters = parameters
        self.version = document.version?.versionNumber
    }
}

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

/// The parts of a template's JSON that the gate uses.
private struct Document: Decodable {
    struct Condition: Decodable {
        let name: String
        let expression: String
    }

    struct Parameter: Decodable {
        let defaultValue: Value?
        let conditionalValues: [String: Value]?
        let valueType: String?

        var parameter: RemoteConfigTemplate.Parameter {
            RemoteConfigTemplate.Parameter(
                defaultValue: self.defaultValue?.value,
                conditionalValues: (self.conditionalValues ?? [:]).mapValues(\.value),
                isNumber: self.valueType == "NUMBER"
            )
        }
    }

    struct Group: Decodable {
        let parameters: [String: Parameter]?
    }

    struct Version: Decodable {
        let versionNumber: String?
    }

    struct Drawn: Decodable {
        let value: String
    }

    struct Experiment: Decodable {
        struct Variant: Decodable {
            let value: String?
        }

        let variantValue: [Variant]?
    }

    struct Value: Decodable {
        private enum Key: CodingKey {
            case value
            case useInAppDefault
            case rolloutValue
            case personalizationValue
            case experimentValue
        }

        let value: RemoteConfigTemplate.Value

        /// A value that cannot be decoded must not make other parameters unusable.
        init(from decoder: any Decoder) throws {
            do {
                self.value = try Self.value(from: decoder)
            } catch let error as DecodingError {
                self.value = .unreadable(error.problem)
            }
        }

        private static func value(
            from decoder: any Decoder
        ) throws -> RemoteConfigTemplate.Value {
            let object = try decoder.container(keyedBy: Key.self)
            if let text = try object.decodeIfPresent(String.self, forKey: .value) {
                return .text(text)
            } else if try object.decodeIfPresent(Bool.self, forKey: .useInAppDefault) == true {
                return .inAppDefault
            } else if let drawn = try object.decodeIfPresent(Drawn.self, forKey: .rolloutValue) {
                return .drawn([drawn.value])
            } else if object.contains(.personalizationValue) {
                return .personalized
            } else if let experiment = try object.decodeIfPresent(
                Experiment.self,
                forKey: .experimentValue
            ) {
                // A variant without a value does not change the parameter.
                return .drawn((experiment.variantValue ?? []).compactMap(\.value))
            } else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "unknown kind of value"
                    )
                )
            }
        }
    }

    let conditions: [Condition]?
    let parameters: [String: Parameter]?
    let parameterGroups: [String: Group]?
    let version: Version?
}

extension DecodingError {
    /// The fault with its location, such as `parameters.min_version: expected a string`.
    fileprivate var problem: String {
        switch self {
        case .typeMismatch(let type, let context):
            Self.line(context.codingPath, "expected \(Self.kind(of: type))")
        case .valueNotFound(let type, let context):
            Self.line(context.codingPath, "expected \(Self.kind(of: type)), found null")
        case .keyNotFound(let key, let context):
            Self.line(context.codingPath, "'\(key.stringValue)' is missing")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "not valid JSON"
        case .dataCorrupted(let context):
            Self.line(context.codingPath, context.debugDescription)
        @unknown default:
            "unexpected format"
        }
    }

    private static func line(_ path: [any CodingKey], _ message: String) -> String {
        guard !path.isEmpty else { return message }
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return "\(place.joined(separator: ".").replacing(".[", with: "[")): \(message)"
    }

    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a string"
        case is Bool.Type: "true or false"
        case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "a number"
        case is any Collection.Type where "\(type)".hasPrefix("Array"): "a list"
        default: "an object"
        }
    }
}
