internal import GatePolicy

/// Decodes `route`: the backend for the clients of a rule.
struct RouteDecoder {
    static let keys = ["to", "versions", "builds", "otherwise"]

    let problems: Problems

    func decode(_ element: Element) -> Route? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let backend = fields.required("to", of: "a route")?
            .parsed(as: "the name of a backend", self.problems, by: BackendName.init(parsing:))
        let versions = fields["versions"].map { MatchDecoder(problems: self.problems).ranges($0) }
        let builds = fields["builds"].map { element in
            element.oneOrMore(self.problems).compactMap { $0.buildRange(self.problems) }
        }
        let fallback = self.fallback(fields)
        guard let backend, let fallback else { return nil }
        return Route(
            to: backend.text,
            versions: versions ?? [],
            builds: builds ?? [],
            otherwise: fallback
        )
    }

    private func fallback(_ fields: Fields) -> Route.Fallback? {
        if let element = fields["otherwise"] {
            return element.choice(of: Route.Fallback.self, self.problems)
        }
        let message =
            "a route needs 'otherwise': 'refuse' or 'default', for requests while the backend cannot be reached"
        return self.problems.reject(message, at: fields.place)
    }
}

/// The name of a backend in the settings and in routes.
package struct BackendName: Sendable, Equatable {
    /// The reason why a string is not the name of a backend.
    package enum Failure: Error, CustomStringConvertible {
        case shape
        case reserved

        package var description: String {
            switch self {
            case .shape: Name.Failure.shape.description
            case .reserved: "this name is reserved for the default backend"
            }
        }
    }

    package let text: String

    package init(parsing text: String) throws(Failure) {
        guard let name = try? Name(parsing: text) else { throw .shape }
        guard name.text != Route.defaultBackend else { throw .reserved }
        self.text = name.text
    }
}
