/// Any JSON, compared without regard to the order of members.
enum WireJSON: Decodable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([WireJSON])
    case object([String: WireJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([WireJSON].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: WireJSON].self))
        }
    }

    /// The members of an object with those left out that are texts of these patterns.
    func without(_ patterns: [String: String]) throws -> WireJSON {
        guard case .object(var members) = self else { return self }
        for (name, pattern) in patterns {
            guard case .text(let text)? = members[name],
                try text.contains(Regex(pattern).dotMatchesNewlines())
            else { continue }
            members[name] = nil
        }
        return .object(members)
    }
}
