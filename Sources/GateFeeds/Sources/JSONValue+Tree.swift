internal import GateRules
/// Updates parts of a value as Firebase's Realtime Database does, which stores no empty values.
extension JSONValue {
    /// Sets the value at a path; `null` removes it.
    ///
    /// A scalar on the path is replaced by an object; a list is converted to an object with its
    /// indices as names.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let name = path.first else {
            self = value.withoutEmpty
            return
        }
        var members = self.members
        var child = members.first { $0.name == name }?.value ?? .null
        child.set(value, at: path.dropFirst())
        members.removeAll { $0.name == name }
        if child != .null { members.append(Member(name, child)) }
        self = members.isEmpty ? .null : .object(members)
    }

    /// The members of an object, or of a list with its indices as names; empty for other values.
    private var members: [Member] {
        switch self {
        case .object(let members): members
        case .list(let items):
            items.enumerated().map { Member("\($0)", $1) }.filter { $0.value != .null }
        case .null, .boolean, .number, .text: []
        }
    }

    /// The value without empty objects and lists, which the database does not store.
    private var withoutEmpty: JSONValue {
        switch self {
        case .null, .boolean, .number, .text: return self
        case .list(let items):
            return items.isEmpty ? .null : .list(items.map(\.withoutEmpty))
        case .object(let members):
            let kept = members.map { Member($0.name, $0.value.withoutEmpty) }
                .filter { $0.value != .null }
            return kept.isEmpty ? .null : .object(kept)
        }
    }
}
