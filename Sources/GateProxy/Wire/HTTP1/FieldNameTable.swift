/// The roles of header fields by their names.
///
/// A class, so that whoever keeps roles can tell that they are of another table.
package final class FieldNameTable: Sendable {
    private let names: NameTable<FieldRole>

    /// Makes a table of lower-case field names, at most 255 of them; the first of two equal ones
    /// wins.
    package init(_ names: [(String, FieldRole)]) {
        self.names = NameTable(names)
    }

    package static let response = FieldNameTable(FieldRole.responseFields)

    /// A table for requests: the gate's own fields, and those that the rules read identity from.
    package static func request(identityHeaderNames: [String]) -> FieldNameTable {
        let identity = identityHeaderNames.prefix(64).enumerated().map { index, name in
            (name, FieldRole.identity(UInt8(index)))
        }
        return FieldNameTable(FieldRole.requestFields + identity)
    }

    @inline(always)
    package func role(in bytes: Span<UInt8>, from start: Int, to end: Int) -> FieldRole {
        switch self.names.match(bytes, from: start, to: end) {
        case .found(let role): role
        case .twin: .gateOwned
        case .none: .other
        }
    }
}
