package import GatePolicy

/// A request whose decision is to be explained, with the same keys as a test in a rules file.
package struct ExplainedRequest: Sendable {
    /// The file name in errors about the request.
    private static let name = "request"
    private static let time = "at"
    /// The query parameter for a header field, in the form `Name: value`; it can be repeated.
    private static let header = "header"

    package let headers: [HeaderField]
    package let method: String
    package let path: String
    package let address: String?
    /// The time of the evaluation; `nil` means the current time.
    package let time: Timestamp?

    /// Decodes a JSON object.
    ///
    /// - Parameters:
    ///   - bytes: The object.
    ///   - identity: The headers for the parts of the client's identity.
    /// - Throws: `RulesFileErrors` with all errors.
    package init(json bytes: [UInt8], identity: IdentitySources) throws(RulesFileErrors) {
        let value: JSONValue
        do throws(JSONParser.Failure) {
            // The YAML parser does not support JSON's surrogate pair escapes.
            value = try JSONParser.parse(bytes)
        } catch {
            let place = Place(file: Self.name, line: error.line, column: error.column)
            throw RulesFileErrors(RulesFileError(place, "not valid JSON: \(error.message)"))
        }
        try self.init(Element(value, at: Place(file: Self.name)), identity)
    }

    /// Decodes query parameters with the keys of the JSON object.
    package init(
        parameters: [(name: String, value: String)],
        identity: IdentitySources
    ) throws(RulesFileErrors) {
        let place = Place(file: Self.name)
        func entry(_ key: String, _ content: Element.Content) -> Element.Entry {
            Element.Entry(key: key, place: place, value: Element(content: content, place: place))
        }
        let headers = parameters.filter { $0.name == Self.header }.map { _, value in
            let colon = value.firstIndex(of: ":") ?? value.endIndex
            let content = value[colon...].dropFirst().drop { $0 == " " }
            return entry(String(value[..<colon]), .text(String(content)))
        }
        var entries = headers.isEmpty ? [] : [entry("headers", .mapping(headers))]
        for (name, value) in parameters where name != Self.header {
            // Query parameters have no types, so digits are a number only where a number is
            // expected.
            let isNumber = name == "build" && value.utf8.allSatisfy { 0x30...0x39 ~= $0 }
            entries.append(entry(name, isNumber ? .number(value) : .text(value)))
        }
        try self.init(Element(content: .mapping(entries), place: place), identity)
    }

    private init(_ element: Element, _ identity: IdentitySources) throws(RulesFileErrors) {
        let problems = Problems()
        let entries = element.entries(problems) ?? []
        let rest = entries.filter { $0.key != Self.time }
        self.time = entries.last { $0.key == Self.time }.flatMap { $0.value.time(problems) }
        let request = TestRequestDecoder(problems: problems)
            .decode(Element(content: .mapping(rest), place: element.place))
        request?.check(against: identity, problems)
        guard let request, problems.isEmpty else {
            throw RulesFileErrors(problems.sorted(byFiles: [Self.name]))
        }
        self.headers = request.headers(by: identity)
        self.method = request.method
        self.path = request.path
        self.address = request.address
    }
}

extension Element {
    fileprivate init(_ value: JSONValue, at place: Place) {
        let content: Content =
            switch value {
            case .null: .nothing
            case .boolean(let value): .boolean("\(value)")
            case .number(let text): .number(Self.wholeNumber(text) ?? text)
            case .text(let text): .text(text)
            case .list(let items): .list(items.map { Element($0, at: place) })
            case .object(let members):
                .mapping(
                    members.map { member in
                        Entry(
                            key: member.name,
                            place: place,
                            value: Element(member.value, at: place)
                        )
                    }
                )
            }
        self.init(content: content, place: place)
    }

    /// Returns the digits of a whole number with a fraction or an exponent, such as 17.0 or 1.7e1.
    private static func wholeNumber(_ text: String) -> String? {
        guard text.contains(where: { ".eE".contains($0) }), let number = Double(text) else {
            return nil
        }
        return UInt64(exactly: number).map { "\($0)" }
    }
}
