/// Finds a value by the path that `fields` has for it: names joined by dots, and after a `#` a JSON
/// pointer into the JSON that a text holds.
extension JSONValue {
    /// What is at a path.
    package enum Lookup: Equatable {
        /// Nothing, or `null`, which many sources have in its place.
        case absent
        case found(JSONValue)
        /// A text that a pointer leads into, and that is no JSON, with the reason.
        case broken(String)
    }

    /// Separates the names of a path from the pointer.
    package static let pointerMark: Character = "#"

    package func lookup(_ path: String) -> Lookup {
        let parts = path.split(
            separator: Self.pointerMark,
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let names = parts[0].split(separator: ".")
        let value = names.reduce(Optional(self)) { value, name in value?[String(name)] }
        guard let value, value != .null else { return .absent }
        guard parts.count == 2 else { return .found(value) }
        return value.lookup(pointer: String(parts[1]))
    }

    /// What is at a place of this value, or of the JSON that it holds as a text.
    package func lookup(pointer text: String) -> Lookup {
        guard let pointer = JSONPointer(parsing: text) else { return .absent }
        let document: JSONValue
        switch self {
        case .text(let text) where text.allSatisfy(\.isWhitespace): return .absent
        case .text(let text):
            do throws(JSONParser.Failure) {
                document = try JSONParser.parse(Array(text.utf8))
            } catch {
                return .broken("\(error)")
            }
        case .null: return .absent
        case .boolean, .number, .list, .object: document = self
        }
        guard let value = pointer.value(in: document), value != .null else { return .absent }
        return .found(value)
    }

    /// Whether there is no value at a path; one that cannot be read is there.
    package func isAbsent(at path: String) -> Bool { self.lookup(path) == .absent }
}
