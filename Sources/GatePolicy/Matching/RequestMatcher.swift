/// Finds the request patterns that a request matches.
struct RequestMatcher: Sendable {
    /// The way in which paths and methods are compared.
    enum Style: Sendable {
        /// Compares byte by byte, and matches only paths that all backends interpret alike.
        ///
        /// Exemptions use this style, so that other spellings cannot widen them.
        case exact
        /// Compares all interpretations of a path that backends may use, ignoring case and a
        /// trailing slash.
        ///
        /// Rules use this style, so that other spellings cannot bypass them.
        case lenient
    }

    let isEmpty: Bool
    private let style: Style
    private let trie: PathTrie
    private let hasPaths: Bool
    /// The patterns that match every path.
    private let pathless: [PatternEntry]
    /// The methods used in patterns, indexed by method number.
    private let methods: [[UInt8]]
    /// The numbers of the methods of all patterns, grouped by pattern.
    private let methodNumbers: [Int]

    init(_ patterns: [RequestPattern], style: Style) {
        var builder = PathTrieBuilder()
        var pathless: [PatternEntry] = []
        let methods = Set(patterns.flatMap { $0.methods ?? [] }).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: zip(methods, methods.indices))
        var methodNumbers: [Int] = []
        for (number, pattern) in patterns.enumerated() {
            let start = methodNumbers.count
            methodNumbers += pattern.methods?.compactMap { numbers[$0] } ?? []
            let accepted = pattern.methods.map { _ in start..<methodNumbers.count }
            let entry = PatternEntry(number: number, methods: accepted)
            if let segments = Self.spelled(pattern, style) {
                builder.add(segments, as: entry)
            } else {
                pathless.append(entry)
            }
        }
        self.isEmpty = patterns.isEmpty
        self.style = style
        self.trie = PathTrie(
            builder,
            methodNumbers: methodNumbers,
            foldsCase: style == .lenient
        )
        self.hasPaths = pathless.count < patterns.count
        self.pathless = pathless
        self.methods = methods.map { Array($0.utf8) }
        self.methodNumbers = methodNumbers
    }

    /// Returns the segments in the spelling in which this style compares them.
    ///
    /// Returns `nil` if the pattern matches every path.
    private static func spelled(
        _ pattern: RequestPattern,
        _ style: Style
    ) -> [RequestPattern.Segment]? {
        guard style == .lenient else { return pattern.segments }
        return pattern.foldedSegments.map { $0.last == .literal([]) ? $0.dropLast() : $0 }
    }

    /// Returns the set of patterns that a request matches.
    func matches(
        method: borrowing Span<UInt8>,
        target: borrowing Span<UInt8>,
        shape: TargetShape
    ) -> PatternSet {
        var matches = PatternSet()
        let number = self.number(of: method)
        for entry in self.pathless where entry.accepts(number, in: self.methodNumbers) {
            matches.insert(entry.number)
        }
        guard self.hasPaths, shape.isPath else { return matches }
        if shape.isPlain {
            self.match(target, count: shape.pathLength, number, &matches)
            return matches
        }
        var path: [UInt8] = []
        path.reserveCapacity(shape.pathLength)
        for index in 0..<shape.pathLength { path.append(target[index]) }
        switch self.style {
        case .exact:
            guard let exact = ExactPath(path) else { return matches }
            self.match(exact.bytes.span, count: exact.bytes.count, number, &matches)
        case .lenient:
            // A path that exceeds the limits for ambiguities is never accidental, so all rules
            // apply.
            for spelling in LenientPath.spellings(of: path) {
                guard let lenient = LenientPath(spelling) else { return .everything }
                lenient.forEachReading { reading in
                    self.match(reading.span, count: reading.count, number, &matches)
                }
            }
        }
        return matches
    }

    private func match(
        _ path: borrowing Span<UInt8>,
        count: Int,
        _ method: Int?,
        _ matches: inout PatternSet
    ) {
        var count = count
        if self.style == .lenient, count > 0, path[count - 1] == UInt8(ascii: "/") { count -= 1 }
        self.trie.match(path, count: count, method, into: &matches)
    }

    /// Returns the number of a method; `nil` if no pattern contains it.
    private func number(of method: borrowing Span<UInt8>) -> Int? {
        for number in self.methods.indices where self.methods[number].count == method.count {
            var isSame = true
            for index in 0..<method.count where isSame {
                let byte = method[index]
                // Methods are case-sensitive, but not in all backends, and `post` must not bypass a
                // rule.
                let letter = self.style == .lenient && byte.isLetter ? byte & 0xDF : byte
                isSame = letter == self.methods[number][index]
            }
            if isSame { return number }
        }
        return nil
    }
}

/// The properties of the path in a request target, determined in one pass.
struct TargetShape {
    /// The length of the target before the query, in bytes.
    let pathLength: Int
    /// Whether the target has a path, and is not `*` or an authority (RFC 9112 section 3.2).
    let isPath: Bool
    /// Whether the path has only one spelling and one interpretation, and can be compared as
    /// received.
    let isPlain: Bool

    init(_ target: borrowing Span<UInt8>) {
        var length = 0
        var isPlain = true
        var previous: UInt8 = 0
        while length < target.count, target[length] != UInt8(ascii: "?") {
            let byte = target[length]
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "."):
                // This condition covers `//` and every segment that may be a dot segment.
                if previous == UInt8(ascii: "/") { isPlain = false }
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"), UInt8(ascii: "#"):
                isPlain = false
            case 0..<0x21, 0x7F...:
                isPlain = false
            default:
                break
            }
            previous = byte
            length += 1
        }
        self.pathLength = length
        self.isPath = length > 0 && target[0] == UInt8(ascii: "/")
        self.isPlain = isPlain
    }
}
