/// Any JSON value.
///
/// The comparison ignores the order of members.
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

    /// Returns the value without the members whose text matches a pattern.
    ///
    /// The keys of `patterns` are names or JSON Pointers (RFC 6901).
    func without(_ patterns: [String: String]) throws -> WireJSON {
        try patterns.reduce(self) { value, entry in
            let path = entry.key.split(separator: "/").map(String.init)
            let pattern = try Regex(entry.value).dotMatchesNewlines()
            return value.without(path[...]) { $0.contains(pattern) }
        }
    }

    private func without(
        _ path: ArraySlice<String>,
        ifText isLeftOut: (String) -> Bool
    ) -> WireJSON {
        guard let name = path.first else { return self }
        func rest(of value: WireJSON) -> WireJSON? {
            if path.count > 1 { return value.without(path.dropFirst(), ifText: isLeftOut) }
            if case .text(let text) = value, isLeftOut(text) { return nil }
            return value
        }
        switch self {
        case .null, .boolean, .number, .text:
            return self
        case .list(var items):
            guard let index = Int(name), items.indices.contains(index) else { return self }
            items[index] = rest(of: items[index]) ?? .null
            return .list(items)
        case .object(var members):
            guard let value = members[name] else { return self }
            members[name] = rest(of: value)
            return .object(members)
        }
    }
}
