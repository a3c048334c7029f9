package import GatePolicy

/// What proves to a source who asks; it travels only to hosts that it is meant for.
package enum Credential: Sendable, Equatable {
    case field(HeaderField)
    /// A parameter of the query.
    case query(name: String, value: String)

    package static func bearer(_ token: String) -> Credential {
        .field(HeaderField(name: "Authorization", value: "Bearer \(token)"))
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it travels, and nothing of what it is.
    package var description: String {
        switch self {
        case .field(let field): "field \(field.name): (secret)"
        case .query(let name, _): "query \(name)=(secret)"
        }
    }

    package var debugDescription: String { self.description }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
