internal import GatePolicy

/// Decodes `identity`: where each part of a client's identity is read from.
struct IdentityDecoder {
    static let keys = ["headers", "userAgent", "query"]
    /// The parts of the identity and their keys in the rules file.
    static let parts: [(name: String, part: IdentityPart)] = [
        ("app", .app), ("platform", .platform), ("version", .version), ("build", .build),
        ("channel", .channel), ("osVersion", .osVersion), ("device", .device),
        ("languages", .languages), ("storefront", .storefront),
    ]

    /// The parts that a header can carry; the country is set by a proxy in front of the gate, never
    /// by the client.
    static let headerParts = parts + [("country", .country)]

    let problems: Problems

    func decode(_ element: Element) -> IdentitySources? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        var sources = IdentitySources.defaults
        let headers = self.parts(of: fields["headers"], among: Self.headerParts)
        for (part, value) in headers {
            sources.headers[part] = value.oneOrMore(self.problems).compactMap { name in
                name.parsed(as: "a header name", self.problems, by: HeaderName.init(parsing:))?.text
            }
        }
        self.checkHeaders(headers)
        let query = self.parts(of: fields["query"], among: Self.parts)
        for (part, value) in query {
            let name = value.parsed(
                as: "a query parameter",
                self.problems,
                by: ParameterName.init(parsing:)
            )
            sources.query[part] = name?.text
        }
        self.checkSpeakers(query, "query parameter", spoken: [:])
        let patterns = fields["userAgent"]?.oneOrMore(self.problems) ?? []
        sources.userAgents = patterns.compactMap { element in
            element.parsed(
                as: "a User-Agent pattern",
                self.problems,
                by: UserAgentPattern.init(parsing:)
            )
        }
        return sources
    }

    private func parts(
        of element: Element?,
        among parts: [(name: String, part: IdentityPart)]
    ) -> [(IdentityPart, Element)] {
        let names = parts.map(\.name)
        guard let element, let fields = Fields(element, names, self.problems) else { return [] }
        return parts.compactMap { name, part in fields[name].map { (part, $0) } }
    }

    /// Reports headers, including default headers, that are used for two parts.
    private func checkHeaders(_ headers: [(part: IdentityPart, value: Element)]) {
        var spoken: [String: IdentityPart] = [:]
        for (part, names) in IdentitySources.defaults.headers
        where !headers.contains(where: { $0.part == part }) {
            for name in names { spoken[name] = part }
        }
        self.checkSpeakers(headers, "header", spoken: spoken)
    }

    private func checkSpeakers(
        _ speakers: [(part: IdentityPart, value: Element)],
        _ noun: String,
        spoken: [String: IdentityPart]
    ) {
        var spoken = spoken
        for (part, value) in speakers {
            for (name, place) in value.names {
                guard let first = spoken.updateValue(part, forKey: name.lowercased()) else {
                    continue
                }
                let other = Self.headerParts.first { $0.part == first }?.name ?? ""
                let message =
                    first == part
                    ? "the \(noun) '\(name)' is listed twice"
                    : "the \(noun) '\(name)' is already used for '\(other)'"
                self.problems.report(message, at: place)
            }
        }
    }
}

extension Element {
    /// The strings of a value or a list; other content is ignored.
    fileprivate var names: [(name: String, place: Place)] {
        switch self.content {
        case .text(let text): [(text, self.place)]
        case .list(let items): items.flatMap(\.names)
        case .number, .boolean, .date, .nothing, .mapping: []
        }
    }
}
