/// The parameters in the query of a request target (URL standard section 5.1), in their order.
package struct QueryParameters: Sendable {
    /// Names in lower case, values percent-encoded as they stand there.
    package let all: [(name: String, value: String)]

    package init(ofTarget target: String) {
        guard let mark = target.firstIndex(of: "?") else {
            self = .none
            return
        }
        self.all = target[target.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (parts[0].lowercased(), parts.count > 1 ? String(parts[1]) : "")
        }
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
