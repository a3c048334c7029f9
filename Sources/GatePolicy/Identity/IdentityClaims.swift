/// The header lines and query parameters of a request that may state the client identity, as
/// received.
///
/// `RuleSet.noClaims` is an empty value.
package struct IdentityClaims: Sendable {
    /// A header line or a query parameter.
    struct Line: Sendable {
        /// The index of the line's name in the list of header or query names to read.
        let name: Int
        /// The range of the value in `bytes`; `nil` if the value exceeds the maximum length.
        let value: Range<Int>?
        /// Whether the value contains a comma, and can be parsed as a list.
        let hasComma: Bool
    }

    /// The decoding of a plus sign in the value of a query parameter.
    ///
    /// Forms encode a space as `+` (URL standard section 5.1), but apps write `1.2.3+45` literally.
    enum PlusSign: Sendable {
        case plus
        case blank
        /// A plus sign becomes a space if the result contains a version; otherwise, the plus sign
        /// is kept.
        case blankInVersion
    }

    private let headerNames: [String]
    private let queryNames: [String]
    /// The decoding of plus signs, by the index of the parameter.
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

    /// Removes all lines but keeps the allocated memory.
    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.headers.removeAll(keepingCapacity: true)
        self.query.removeAll(keepingCapacity: true)
    }

    /// Adds a header line if it is part of the identity.
    ///
    /// `name` must be in lower case.
    package mutating func addHeader(_ name: String, _ value: String) {
        guard let index = self.headerNames.firstIndex(of: name) else { return }
        self.addHeader(at: index, value.utf8Span.span)
    }

    /// Adds a header line.
    ///
    /// `index` is the index of the field name in `RuleSet.identityHeaderNames`.
    package mutating func addHeader(at index: Int, _ value: Span<UInt8>) {
        self.headers.append(self.line(index, value))
    }

    /// Adds the query parameters that are part of the identity.
    package mutating func addQuery(_ parameters: QueryParameters) {
        for (index, name) in self.queryNames.enumerated() {
            for value in parameters.values(of: name) {
                self.addQuery(at: index, value)
            }
        }
    }

    /// Adds a query parameter with its percent-encoded value, as received.
    ///
    /// `index` is the index of the parameter name in `RuleSet.identityQueryNames`.
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
    /// The extent of the values that were read from lines.
    enum Extent {
        /// The lines contain only whitespace and commas.
        case nothing
        case values
        /// The values exceed `IdentityLimits`.
        case tooMuch
    }

    /// Calls `body` with each value in the lines with these names until `body` returns false.
    ///
    /// The values have no surrounding whitespace. Lines are split at commas, because `X: a, b` and
    /// two lines `X: a` and `X: b` are equivalent (RFC 9110 section 5.3), and a proxy in front of
    /// the gate may have joined them. Empty elements are ignored (section 5.6.1.2).
    ///
    /// - Returns: The extent of the values that were read.
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

    /// Whether every implementation parses the line as a single value.
    func isOneValue(_ line: Line) -> Bool {
        guard !line.hasComma else { return false }
        guard let value = line.value else { return true }
        return !self.bytes.span.withoutBlanks(value).isEmpty
    }

    /// Returns the values of the lines with these names.
    ///
    /// Values that exceed the maximum length are omitted.
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
