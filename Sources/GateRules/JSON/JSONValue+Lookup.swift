/// Looks up values by the paths of `fields`.
///
/// A path consists of names joined by dots, optionally followed by `#` and a JSON pointer into the
/// value, or into the JSON that a string value contains.
extension JSONValue {
    /// The result of a lookup.
    package enum Lookup: Equatable {
        /// There is no value, or it is `null`, which many sources use for absent values.
        case absent
        case found(JSONValue)
        /// A pointer refers into a string that is not JSON; the payload is the reason.
        case broken(String)
    }

    /// The separator between the names of a path and the pointer.
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

    /// Looks up a pointer in this value or, if it is a string, in the JSON that the string contains.
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

    /// Whether there is no value at a path; a value that cannot be parsed is not absent.
    package func isAbsent(at path: String) -> Bool { self.lookup(path) == .absent }
}
