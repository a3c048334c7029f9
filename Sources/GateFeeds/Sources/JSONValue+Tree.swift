internal import GateRules

/// Changes parts of a value as Firebase's Realtime Database does: what is empty is not there.
extension JSONValue {
    /// Puts a value at the end of a path; `null` removes what is there.
    ///
    /// A scalar on the way becomes an object; a list is the object of its indices.
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

    /// The members of an object, or of a list by their indices; none of anything else.
    private var members: [Member] {
        switch self {
        case .object(let members): members
        case .list(let items):
            items.enumerated().map { Member("\($0)", $1) }.filter { $0.value != .null }
        case .null, .boolean, .number, .text: []
        }
    }

    /// The value without objects and lists that hold nothing, which the database does not know.
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
