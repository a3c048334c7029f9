internal import GatePolicy

/// Decodes `route`: the backend for the clients of a rule.
struct RouteDecoder {
    static let keys = ["to", "versions", "builds", "otherwise"]

    let problems: Problems

    func decode(_ element: Element) -> Route? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let backend = fields.required("to", of: "a route")?
            .parsed(as: "a valid backend name", self.problems, by: BackendName.init(parsing:))
        let versions = fields["versions"].map { $0.versionRanges(self.problems) }
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
        if fields["otherwise"] != nil { return fields.choice("otherwise", of: Route.Fallback.self) }
        let message =
            "a route needs 'otherwise' ('refuse' or 'default') for requests that arrive while the "
            + "backend is unreachable"
        return self.problems.reject(message, at: fields.place)
    }
}

/// The name of a backend in the settings and in routes.
package struct BackendName: Sendable, Equatable {
    package let text: String

    package init(parsing text: String) throws(InvalidText) {
        self.text = try Name(parsing: text).text
        guard text != Route.defaultBackend else {
            throw InvalidText("this name is reserved for the default backend")
        }
    }
}
