/// The parameters in the query of a request target (URL standard section 5.1), in their order.
package struct QueryParameters: Sendable {
    /// The most parameters that are kept; more than enough to see that a part is said too often.
    private static let limit = 128

    /// Names in lower case, values percent-encoded as they stand there.
    package let all: [(name: String, value: String)]

    /// Reads the parameters that have one of these names, or all.
    package init(ofTarget target: String, named names: Set<String>? = nil) {
        let wanted = names.map { $0.map { Array($0.utf8) } }
        let bytes = target.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else {
            self = .none
            return
        }
        var all: [(name: String, value: String)] = []
        var start = bytes.index(after: mark)
        var equals: String.Index?
        var index = start
        while all.count < Self.limit {
            let byte = index < bytes.endIndex ? bytes[index] : nil
            if let byte, byte != UInt8(ascii: "&") {
                if byte == UInt8(ascii: "="), equals == nil { equals = index }
            } else {
                let name = bytes[start..<(equals ?? index)]
                let isEmpty = start == index
                if !isEmpty, wanted?.contains(where: { Self.isSame($0, name) }) ?? true {
                    let value = equals.map { bytes[bytes.index(after: $0)..<index] }
                    all.append(
                        (Substring(name).lowercased(), value.map { String(Substring($0)) } ?? "")
                    )
                }
                guard byte != nil else { break }
                start = bytes.index(after: index)
                equals = nil
            }
            index = bytes.index(after: index)
        }
        self.all = all
    }

    /// Whether a name is a wanted one, which is in lower case.
    private static func isSame(_ wanted: [UInt8], _ name: Substring.UTF8View) -> Bool {
        wanted.count == name.count && zip(wanted, name).allSatisfy { $0 == $1.lowercased }
    }

    private init(all: [(name: String, value: String)]) {
        self.all = all
    }

    package static let none = QueryParameters(all: [])

    /// Those that have one of these names.
    package func named(_ names: Set<String>) -> QueryParameters {
        QueryParameters(all: self.all.filter { names.contains($0.name) })
    }

    /// Every value of a parameter.
    package func values(of name: String) -> [String] {
        self.all.filter { $0.name == name }.map(\.value)
    }
}
