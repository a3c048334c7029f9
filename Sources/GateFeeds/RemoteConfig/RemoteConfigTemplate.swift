internal import FoundationEssentials
internal import GateRules

/// A Remote Config template from the REST API (`projects.getRemoteConfig`, v1).
struct RemoteConfigTemplate {
    /// The value of a parameter, by default or for a condition.
    enum Value: Equatable {
        case text(String)
        /// A part of the JSON in a string, unless the part is itself a string.
        case json(JSONValue)
        /// The default in the app, which is unknown to the gate.
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
    /// The number of the published version; `nil` if it is missing.
    let version: String?

    /// Whether values may change only because time passes.
    var isTimed: Bool { self.conditions.contains { $0.condition.isTimed } }

    /// Parses a template.
    ///
    /// - Throws: `RemoteConfigError.template`, with the location in the document.
    init(json: [UInt8]) throws(RemoteConfigError) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: Data(json))
        } catch let error as DecodingError {
            throw .template(JSONProblem(error).description)
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
                "it is defined twice: in two groups, or in a group and outside of groups"
            )
            parameters.merge((group.parameters ?? [:]).mapValues(\.parameter)) { _, _ in
                Parameter(defaultValue: twice, conditionalValues: [:])
            }
        }
        self.parameters = parameters
        self.version = document.version?.versionNumber
    }
}

/// The parts of a template's JSON that are used.
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
                self.value = .unreadable(JSONProblem(error).description)
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
