/// The header lines and query parameters of one request that can say who the client is, as they
/// were received.
package struct IdentityClaims: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        let name: String
        let value: String
    }

    private(set) var headers: [Line] = []
    private(set) var query: [Line] = []

    package init() {}

    /// Adds a header line; the name in lower case.
    package mutating func addHeader(_ name: String, _ value: String) {
        self.headers.append(Line(name: name, value: value))
    }

    /// Adds parameters of the query.
    package mutating func addQuery(_ parameters: QueryParameters) {
        self.query += parameters.all.map { Line(name: $0.name, value: $0.value) }
    }
}
