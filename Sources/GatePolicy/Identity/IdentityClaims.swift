/// The header lines and query parameters of one request that can say who the client is, as they
/// were received.
package struct IdentityClaims: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        let name: String
        /// The value of the line; `nil` if it is longer than what is read.
        let value: String?
        /// Whether others may read a list from it.
        let hasComma: Bool

        init(_ name: String, _ value: String?, hasComma: Bool) {
            self.name = name
            self.value = value
            self.hasComma = hasComma
        }

        init(_ name: String, _ value: String) {
            let isRead = value.utf8.count <= IdentityLimits.lineLength
            let hasComma = value.utf8.contains(UInt8(ascii: ","))
            self.init(name, isRead ? value : nil, hasComma: hasComma)
        }
    }

    private(set) var headers: [Line] = []
    private(set) var query: [Line] = []

    package init() {}

    /// Adds a header line; the name in lower case.
    package mutating func addHeader(_ name: String, _ value: String) {
        self.headers.append(Line(name, value))
    }

    /// Adds a header line that is longer than what is read; the name in lower case.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - hasComma: Whether there is a comma in its value.
    package mutating func addUnreadHeader(_ name: String, hasComma: Bool) {
        self.headers.append(Line(name, nil, hasComma: hasComma))
    }

    /// Adds parameters of the query.
    package mutating func addQuery(_ parameters: QueryParameters) {
        self.query += parameters.all.map { Line($0.name, $0.value) }
    }
}
