internal import GateRules
/// Looks up parameters by the paths of `fields`.
///
/// A path is a name, optionally followed by `#` and a JSON pointer into the JSON in the parameter.
extension RemoteConfigTemplate {
    /// The parameter at a path; `nil` if it does not exist, or if none of its values contains the
    /// pointer's target.
    subscript(path: String) -> Parameter? {
        guard let mark = path.firstIndex(of: JSONValue.pointerMark) else {
            return self.parameters[path]
        }
        guard let parameter = self.parameters[String(path[..<mark])] else { return nil }
        let pointer = String(path[path.index(after: mark)...])
        let part = parameter.part(at: pointer)
        let values = [part.defaultValue].compactMap(\.self) + part.conditionalValues.values
        return values.allSatisfy({ $0 == .lacking(pointer) }) ? nil : part
    }
}

extension RemoteConfigTemplate.Parameter {
    /// Returns the parameter with the values that a pointer refers to.
    fileprivate func part(at pointer: String) -> Self {
        Self(
            defaultValue: self.defaultValue?.part(at: pointer),
            conditionalValues: self.conditionalValues.mapValues { $0.part(at: pointer) }
        )
    }
}

extension RemoteConfigTemplate.Value {
    /// Creates the value for JSON that does not contain the pointer's target.
    fileprivate static func lacking(_ pointer: String) -> Self {
        .unreadable("its JSON has no '\(pointer)'")
    }

    fileprivate func part(at pointer: String) -> Self {
        switch self {
        case .text(let text): Self.part(of: text, at: pointer)
        case .json(let value): Self.part(of: value.compact, at: pointer)
        case .drawn(let texts): Self.part(ofDrawn: texts, at: pointer)
        case .inAppDefault, .personalized, .unreadable: self
        }
    }

    private static func part(of text: String, at pointer: String) -> Self {
        switch JSONValue.text(text).lookup(pointer: pointer) {
        case .absent: .lacking(pointer)
        case .found(.text(let text)): .text(text)
        case .found(let value): .json(value)
        case .broken(let reason): .unreadable("'\(text.prefix(40))' is \(reason)")
        }
    }

    /// Returns the values that a pointer refers to in the JSON strings of a rollout; if one of them
    /// cannot be converted, the whole value is unreadable.
    private static func part(ofDrawn texts: [String], at pointer: String) -> Self {
        var parts: [String] = []
        for text in texts {
            switch self.part(of: text, at: pointer) {
            case .text(let text): parts.append(text)
            case .json(let value): parts.append(value.compact)
            case let other: return other
            }
        }
        return .drawn(parts)
    }

    /// The value as JSON; `nil` if the template does not contain the value.
    var stated: JSONValue? {
        switch self {
        case .text(let text): .text(text)
        case .json(let value): value
        case .inAppDefault, .drawn, .personalized, .unreadable: nil
        }
    }
}
