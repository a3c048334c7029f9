/// The header lines and query parameters of one request that can say who the client is, as they
/// were received.
///
/// `RuleSet.noClaims` is the beginning of one.
package struct IdentityClaims: Sendable {
    /// A header line or a query parameter.
    struct Line: Sendable {
        /// The index of its name among those that are read.
        let name: Int
        /// The place of its value in `bytes`; `nil` if it is longer than what is read.
        let value: Range<Int>?
        /// Whether others may read a list from it.
        let hasComma: Bool
    }

    /// How a plus sign in the value of a query parameter is read.
    ///
    /// Forms write a blank as `+` (URL standard section 5.1), and apps write `1.2.3+45` as it stands.
    enum PlusSign: Sendable {
        case plus
        case blank
        /// As a blank where that gives a version, else as it stands.
        case blankInVersion
    }

    private let headerNames: [String]
    private let queryNames: [String]
    /// The readings of a plus sign, by the index of the parameter.
    private let plusSigns: [PlusSign]
    private let platforms: PlatformNames
    private(set) var bytes: [UInt8] = []
    private(set) var headers: [Line] = []
    private(set) var query: [Line] = []

    init(
        headerNames: [String],
        queryNames: [String],
        plusSigns: [PlusSign],
        platforms: PlatformNames
    ) {
        self.headerNames = headerNames
        self.queryNames = queryNames
        self.plusSigns = plusSigns
        self.platforms = platforms
    }

    /// Forgets all lines, and keeps the memory for others.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.headers.removeAll(keepingCapacity: true)
        self.query.removeAll(keepingCapacity: true)
    }

    /// Adds a header line, if it can say who the client is; the name in lower case.
    package mutating func addHeader(_ name: String, _ value: String) {
        guard let index = self.headerNames.firstIndex(of: name) else { return }
        self.addHeader(at: index, value.utf8Span.span)
    }

    /// Adds a header line.
    ///
    /// - Parameters:
    ///   - index: The index of the name in `RuleSet.identityHeaderNames`.
    ///   - value: The value of the line.
    package mutating func addHeader(at index: Int, _ value: Span<UInt8>) {
        self.headers.append(self.line(index, value))
    }

    /// Adds parameters of the query, as far as they can say who the client is.
    package mutating func addQuery(_ parameters: QueryParameters) {
        for (index, name) in self.queryNames.enumerated() {
            for value in parameters.values(of: name) {
                self.addQuery(at: index, value)
            }
        }
    }

    /// Adds a parameter of the query.
    ///
    /// - Parameters:
    ///   - index: The index of the name in `RuleSet.identityQueryNames`.
    ///   - value: The value, percent-encoded as it stands there.
    package mutating func addQuery(at index: Int, _ value: [UInt8]) {
        let isRead = value.count <= IdentityLimits.lineLength
        let decoded = isRead ? self.decoded(value, self.plusSigns[index]) : value
        self.query.append(self.line(index, decoded.span))
    }

    private func decoded(_ value: [UInt8], _ sign: PlusSign) -> [UInt8] {
        let plus = UInt8(ascii: "+")
        let plain = PercentEncoding.decodedBytes(value)
        guard sign != .plus, value.contains(plus) else { return plain }
        let spaced = PercentEncoding.decodedBytes(value.map { $0 == plus ? 0x20 : $0 })
        guard sign == .blankInVersion else { return spaced }
        let statement = VersionStatement(line: spaced.span, self.platforms)
        return statement.version.value == nil ? plain : spaced
    }

    private mutating func line(_ name: Int, _ value: Span<UInt8>) -> Line {
        let hasComma = value.firstIndex(of: UInt8(ascii: ",")) != nil
        guard value.count <= IdentityLimits.lineLength else {
            return Line(name: name, value: nil, hasComma: hasComma)
        }
        let start = self.bytes.count
        self.bytes.append(value)
        return Line(name: name, value: start..<self.bytes.count, hasComma: hasComma)
    }
}

extension IdentityClaims {
    /// How much lines state.
    enum Extent {
        /// Nothing but blanks and commas.
        case nothing
        case values
        /// More than is read: see `IdentityLimits`.
        case tooMuch
    }

    /// Hands over the values of lines one by one, without blanks around them, until nobody wants
    /// another one.
    ///
    /// Lines are split at commas, because `X: a, b` and two lines `X: a` and `X: b` are the same
    /// message (RFC 9110 section 5.3), and a hop before the gate may have joined them. Empty elements
    /// say nothing (section 5.6.1.2).
    ///
    /// - Parameters:
    ///   - lines: The headers or the query.
    ///   - names: The indices of the names that speak.
    ///   - body: Takes a value, and returns whether it wants the next one.
    /// - Returns: How much there is, as far as it was wanted.
    func forEachValue(
        of lines: [Line],
        named names: [Int],
        _ body: (Span<UInt8>) -> Bool
    ) -> Extent {
        let bytes = self.bytes.span
        var reader = ListReader()
        for line in lines where names.contains(line.name) {
            guard let place = line.value else { return .tooMuch }
            let end = reader.read(bytes, place, isList: line.hasComma) {
                body(bytes.extracting($0))
            }
            if let end { return end }
        }
        return reader.values == 0 ? .nothing : .values
    }

    /// Whether everybody reads one value from a line.
    func isOneValue(_ line: Line) -> Bool {
        guard !line.hasComma else { return false }
        guard let value = line.value else { return true }
        return !self.bytes.span.withoutBlanks(value).isEmpty
    }

    /// The lines with these names as texts, without those that are longer than what is read.
    func texts(of lines: [Line], named names: [Int]) -> [String] {
        let bytes = self.bytes.span
        var texts: [String] = []
        for line in lines where names.contains(line.name) {
            guard let value = line.value else { continue }
            texts.append(bytes.extracting(value).text)
        }
        return texts
    }
}
