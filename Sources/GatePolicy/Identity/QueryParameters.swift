/// The query parameters with the given names in a request target (URL standard section 5.1).
package struct QueryParameters: Sendable {
    private struct Parameter {
        /// The index of the name in `names`.
        let name: Int
        /// The range of the value in `query`; empty for a parameter without a value.
        let value: Range<Int>
    }

    /// The maximum number of parameters that are kept.
    ///
    /// The limit is high enough to detect that a part occurs too often.
    private static let limit = 128

    /// The names of the parameters to parse, in lower case.
    private let names: [String]
    private var query: [UInt8] = []
    private var all: [Parameter] = []

    private init(names: [String]) {
        self.names = names
    }

    package static let none = QueryParameters(names: [])

    /// Parses the parameters of a request target that have one of the given names.
    ///
    /// `names` must be in lower case. The case of names in the target is ignored.
    package init(ofTarget target: Span<UInt8>, named names: [String]) {
        self.init(names: names)
        guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return }
        let query = target.extracting(mark + 1..<target.count)
        let wanted = names.map { Array($0.utf8) }
        self.query.append(query)
        var start = 0
        while start < query.count, self.all.count < Self.limit {
            var end = start
            var equals: Int?
            while end < query.count, query[end] != UInt8(ascii: "&") {
                if equals == nil, query[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            let name = query.extracting(start..<(equals ?? end))
            if start < end, let index = wanted.firstIndex(where: { Self.isSame($0, name) }) {
                self.all.append(Parameter(name: index, value: (equals.map { $0 + 1 } ?? end)..<end))
            }
            start = end + 1
        }
    }

    /// Whether a name equals the lower-case name `wanted`, ignoring case.
    private static func isSame(_ wanted: [UInt8], _ name: Span<UInt8>) -> Bool {
        guard wanted.count == name.count else { return false }
        for index in name.indices where name[index].lowercased != wanted[index] { return false }
        return true
    }

    /// Returns the values of a parameter in order, percent-encoded as received.
    package func values(of name: String) -> [[UInt8]] {
        guard let index = self.names.firstIndex(of: name) else { return [] }
        return self.all.filter { $0.name == index }.map { Array(self.query[$0.value]) }
    }

    /// Returns the first value of a parameter, percent-decoded; `nil` if the parameter is missing.
    package func firstValue(of name: String) -> [UInt8]? {
        guard let index = self.names.firstIndex(of: name),
            let parameter = self.all.first(where: { $0.name == index })
        else { return nil }
        return PercentEncoding.decodedBytes(Array(self.query[parameter.value]))
    }

    /// Returns the number of occurrences of a parameter.
    package func count(of name: String) -> Int {
        guard let index = self.names.firstIndex(of: name) else { return 0 }
        return self.all.count { $0.name == index }
    }

    /// Appends all parameters, in an unambiguous encoding.
    package func append(to bytes: inout [UInt8]) {
        for parameter in self.all {
            bytes.append(0xFF)
            bytes += self.names[parameter.name].utf8
            bytes.append(0xFF)
            bytes += self.query[parameter.value]
        }
    }
}
