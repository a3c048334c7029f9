internal import FoundationEssentials
internal import GateRules

/// A Remote Config template, as the REST API gives it (`projects.getRemoteConfig`, v1).
struct RemoteConfigTemplate {
    /// The value that a parameter is set to, by its default or by a condition.
    enum Value: Equatable {
        case text(String)
        /// A part of the JSON that a text holds, and that is no text itself.
        case json(JSONValue)
        /// A value that the app itself brings along; the gate does not know it.
        case inAppDefault
        /// This for some of the clients that a roll-out or an experiment draws.
        case drawn([String])
        /// A value that Firebase chooses for each client.
        case personalized
        /// A kind of value that came later, or something else that makes no sense, with the place.
        case unreadable(String)
    }

    struct Parameter {
        var defaultValue: Value?
        var conditionalValues: [String: Value]
        /// Whether the console shows it as a number; its values are texts all the same.
        var isNumber = false
    }

    /// Their order is their priority: the first that holds decides.
    let conditions: [(name: String, condition: RemoteConfigCondition)]
    let parameters: [String: Parameter]
    /// The number of the published version; `nil` if the template does not say it.
    let version: String?

    /// Whether what it says may become something else by the mere passing of time.
    var isTimed: Bool { self.conditions.contains { $0.condition.isTimed } }

    /// Reads a template.
    ///
    /// - Throws: `RemoteConfigError.template`, with the place in the document.
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
            // Firebase keeps names apart; where it does not, nobody knows which one apps get.
            let twice = Value.unreadable("it is there twice, in a group and outside of it")
            parameters.merge((group.parameters ?? [:]).mapValues(\.parameter)) { _, _ in
                Parameter(defaultValue: twice, conditionalValues: [:])
            }
        }
        self.parameters = parameters
        self.version = document.version?.versionNumber
    }
}

/// The JSON of a template, as far as it is looked at.
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

        /// One that cannot be read is no reason to reject the parameters that nobody asks for.
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
                // A variant without a value changes nothing.
                return .drawn((experiment.variantValue ?? []).compactMap(\.value))
            } else {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath,
                        debugDescription: "none of the kinds of values that are known"
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
