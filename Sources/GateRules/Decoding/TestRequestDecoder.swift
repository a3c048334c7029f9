internal import GatePolicy

/// The request of a test, before its identity is mapped to header fields.
struct TestRequest: Sendable, Equatable {
    /// The client's identity.
    var parts: [IdentityPart: String] = [:]
    /// Other header fields, with lowercase names.
    var headers: [HeaderField] = []
    var method = "GET"
    var path = "/"
    var address: String?
    /// The location of the country in the file, for the error if no header is configured for the country.
    var countryPlace: Place?

    static let empty = TestRequest()

    /// Returns all header fields of the request; each part of the identity is sent in the first
    /// header that is configured for it.
    func headers(by identity: IdentitySources) -> [HeaderField] {
        let spoken = IdentityPart.allCases.compactMap { part -> HeaderField? in
            guard let value = self.parts[part], let name = identity.headers[part]?.first else {
                return nil
            }
            return HeaderField(name: name, value: value)
        }
        return spoken + self.headers
    }

    /// Reports a country for which no header is configured.
    func check(against identity: IdentitySources, _ problems: Problems) {
        guard let place = self.countryPlace, identity.headers[.country, default: []].isEmpty else {
            return
        }
        problems.report("no header is configured for the country; add one to 'identity'", at: place)
    }
}

/// Decodes the `request` of a test: the client's identity, and the request itself.
struct TestRequestDecoder {
    /// The identity keys whose values are strings.
    private static let parts: [(key: String, part: IdentityPart)] = [
        ("app", .app), ("platform", .platform), ("version", .version), ("channel", .channel),
        ("osVersion", .osVersion), ("device", .device), ("language", .languages),
        ("country", .country), ("storefront", .storefront),
    ]
    static let keys =
        parts.map(\.key) + ["build", "path", "method", "headers", "address"]

    let problems: Problems

    func decode(_ element: Element) -> TestRequest? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        var request = TestRequest()
        for (key, part) in Self.parts {
            request.parts[part] = fields[key].flatMap { self.line($0, "a header value") }
        }
        request.countryPlace = fields["country"]?.place
        request.parts[.build] =
            fields["build"].flatMap { $0.build(self.problems) }.map { "\($0)" }
        request.headers = fields["headers"].map { self.headers($0) } ?? []
        // A method can be in lower case, as in a rule.
        let method = fields["method"].flatMap { RequestDecoder(problems: self.problems).method($0) }
        request.method = method?.uppercased() ?? request.method
        request.path = fields["path"].flatMap { self.path($0) } ?? request.path
        request.address =
            fields["address"]?
            .parsed(as: "an IP address", self.problems, by: IPAddress.init(parsing:))?.text
        return request
    }

    /// Decodes header fields by name; a list stands for several fields with the same name.
    private func headers(_ element: Element) -> [HeaderField] {
        (element.entries(self.problems) ?? []).flatMap { entry in
            let name = Element(content: .text(entry.key), place: entry.place)
                .parsed(as: "a header name", self.problems, by: HeaderName.init(ofAnyField:))
            let values = entry.value.oneOrMore(self.problems)
                .compactMap { self.line($0, "a header value") }
            return name.map { name in
                values.map { HeaderField(name: name.text, value: $0) }
            } ?? []
        }
    }

    private func path(_ element: Element) -> String? {
        guard let path = self.line(element, "a path") else { return nil }
        guard path.hasPrefix("/"), !path.contains(where: \.isWhitespace) else {
            let message = "'\(path)' is not a path: it must start with '/' and contain no space"
            return self.problems.reject(message, at: element.place)
        }
        return path
    }

    /// Decodes a string without control characters, as HTTP requires for header field values and
    /// paths.
    private func line(_ element: Element, _ expected: String) -> String? {
        guard let text = element.text(expected, self.problems) else { return nil }
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            let message = "'\(text)' is not \(expected): it contains a control character"
            return self.problems.reject(message, at: element.place)
        }
        return text
    }
}
