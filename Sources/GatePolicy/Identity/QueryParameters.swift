/// The parameters in the query of a request target (URL standard section 5.1) that have one of some
/// names.
package struct QueryParameters: Sendable {
    private struct Parameter {
        /// The index of its name among the wanted ones.
        let name: Int
        /// The place of its value in the query; empty for one without.
        let value: Range<Int>
    }

    /// The most parameters that are kept; more than enough to see that a part is said too often.
    private static let limit = 128

    /// In lower case.
    private let names: [String]
    private var query: [UInt8] = []
    private var all: [Parameter] = []

    private init(names: [String]) {
        self.names = names
    }

    package static let none = QueryParameters(names: [])

    /// Reads the parameters of a target.
    ///
    /// - Parameters:
    ///   - target: The target of a request.
    ///   - names: The wanted names, in lower case; a client may write them in any case.
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

    /// Whether a name is a wanted one, which is in lower case.
    private static func isSame(_ wanted: [UInt8], _ name: Span<UInt8>) -> Bool {
        guard wanted.count == name.count else { return false }
        for index in name.indices where name[index].lowercased != wanted[index] { return false }
        return true
    }

    package var isEmpty: Bool { self.all.isEmpty }

    /// The values of a parameter in their order, percent-encoded as they stand there.
    package func values(of name: String) -> [[UInt8]] {
        guard let index = self.names.firstIndex(of: name) else { return [] }
        return self.all.filter { $0.name == index }.map { Array(self.query[$0.value]) }
    }

    /// The decoded value of a parameter that is there once, or the first of several; `nil` without.
    package func firstValue(of name: String) -> [UInt8]? {
        guard let index = self.names.firstIndex(of: name),
            let parameter = self.all.first(where: { $0.name == index })
        else { return nil }
        return PercentEncoding.decodedBytes(Array(self.query[parameter.value]))
    }

    /// How often a parameter is there.
    package func count(of name: String) -> Int {
        guard let index = self.names.firstIndex(of: name) else { return 0 }
        return self.all.count { $0.name == index }
    }

    /// Appends all parameters, such that no others look the same.
    package func append(to bytes: inout [UInt8]) {
        for parameter in self.all {
            bytes.append(0xFF)
            bytes += self.names[parameter.name].utf8
            bytes.append(0xFF)
            bytes += self.query[parameter.value]
        }
    }
}
