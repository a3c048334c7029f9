/// A method and a path without the segments that identify a single resource or person:
/// `GET /video/*`.
///
/// Only segments that look like names in the API are kept. Numbers, IDs, tokens, addresses and
/// encoded segments become `*`, and the query is removed. A word in capitals (`PENDING`) may be a
/// name in the API or a personal code, and becomes `^`: the word itself is not kept, but rules that
/// ignore case can still match the segment as a word.
package struct PathShape: Sendable, Hashable {
    /// The maximum length of a path that has a shape, in bytes.
    package static let longestPath = 200
    package static let maximumSegments = 12
    /// The maximum number of words in a name.
    ///
    /// A segment with more words is probably a title. Hyphens, dots and underscores separate words.
    private static let maximumWords = 4
    private static let maximumWordLength = 20
    private static let anything = UInt8(ascii: "*")
    private static let capitals = UInt8(ascii: "^")
    /// The segment that replaces `*` in a sample path; no rule contains this segment.
    private static let standIn = "~0~"

    /// The method and the path, such as `GET /video/*`.
    package let text: String

    /// Creates the shape of a request.
    ///
    /// The result is `nil` if the path has several readings, is too long or has too many segments,
    /// or if requests with this method have no shapes.
    package init?(method: Span<UInt8>, target: Span<UInt8>) {
        let length = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        guard Self.keeps(method: method), length <= Self.longestPath else { return nil }
        var path: [UInt8] = []
        path.append(target.extracting(..<length))
        guard let exact = ExactPath(path) else { return nil }
        let bytes = exact.bytes.span
        var names = Segments()
        var start = 0
        // Each iteration starts at a slash.
        while start < bytes.count {
            var end = start + 1
            while end < bytes.count, bytes[end] != UInt8(ascii: "/") { end += 1 }
            guard names.append(Self.kind(of: bytes.extracting((start + 1)..<end))) else {
                return nil
            }
            start = end
        }
        self.text = names.text(method, bytes)
    }

    /// The form of a segment in a shape.
    package enum Kind: Sendable, Hashable {
        /// The segment itself.
        case word
        /// `^`, for a segment that would be a word if it were in lower case.
        case capitals
        /// `*`, for any other segment.
        case nameless
    }

    /// The segments of a path, with the kind of each.
    private struct Segments {
        private var count = 0
        /// One bit for each segment that is not kept.
        private var nameless: UInt16 = 0
        /// One bit for each segment that is not kept but would be a word if case were ignored.
        private var capitals: UInt16 = 0

        /// Adds a segment; returns false if there are too many segments.
        mutating func append(_ kind: Kind) -> Bool {
            guard self.count < PathShape.maximumSegments else { return false }
            if kind != .word { self.nameless |= 1 << self.count }
            if kind == .capitals { self.capitals |= 1 << self.count }
            self.count += 1
            return true
        }

        /// Returns the method and the path with these segments, which are never longer than the
        /// originals.
        func text(_ method: Span<UInt8>, _ path: Span<UInt8>) -> String {
            unsafe String(unsafeUninitializedCapacity: method.count + 1 + path.count) { text in
                var count = 0
                for index in method.indices {
                    unsafe text[count] = method[index]
                    count += 1
                }
                unsafe text[count] = UInt8(ascii: " ")
                count += 1
                var isNameless = false
                var (rest, capitals) = (self.nameless, self.capitals)
                for index in path.indices {
                    let byte = path[index]
                    let isSlash = byte == UInt8(ascii: "/")
                    if isSlash || !isNameless {
                        unsafe text[count] = byte
                        count += 1
                    }
                    guard isSlash else { continue }
                    isNameless = rest & 1 == 1
                    rest >>= 1
                    if isNameless {
                        let isWord = capitals & 1 == 1
                        unsafe text[count] = isWord ? PathShape.capitals : PathShape.anything
                        count += 1
                    }
                    capitals >>= 1
                }
                return count
            }
        }
    }

    /// Whether requests with a method have shapes.
    ///
    /// Only requests with common methods do, because clients could invent any number of other
    /// methods.
    package static func keeps(method: Span<UInt8>) -> Bool {
        switch method.text {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
            "QUERY":
            true
        default: false
        }
    }

    package init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, parts[1].first == UInt8(ascii: "/") else { return nil }
        self.text = text
    }

    package var method: String { String(self.text.prefix { $0 != " " }) }

    package var segments: [String] {
        let path = self.text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst()
        return path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
    }

    /// Whether the shape has a segment for a word in capitals.
    var hasCapitals: Bool { self.text.utf8.contains(Self.capitals) }

    /// The shape for reports, in which a word in capitals also becomes `*`.
    package var general: PathShape {
        guard self.hasCapitals else { return self }
        return PathShape(written: self.text.replacing("^", with: "*"))
    }

    private init(written text: String) { self.text = text }

    package static func kind(shown segment: String) -> Kind {
        switch segment {
        case "*": .nameless
        case "^": .capitals
        default: .word
        }
    }

    /// The segments of a pattern that shapes may omit, by index.
    struct Omitted: Sendable {
        /// Segments that become `*`, regardless of case.
        var nameless: [Int: String] = [:]
        /// Segments that become `^` if they are in capitals.
        var capitals: [Int: String] = [:]
    }

    /// Returns a sample path of this shape, with the given segments in place of the omitted
    /// segments.
    func path(_ choice: Omitted = Omitted()) -> String {
        let segments = self.segments.enumerated().map { index, segment in
            switch Self.kind(shown: segment) {
            case .word: segment
            case .capitals: choice.capitals[index] ?? Self.standIn
            case .nameless: choice.nameless[index] ?? Self.standIn
            }
        }
        return "/" + segments.joined(separator: "/")
    }

    /// Whether a segment becomes `*` in a shape, regardless of case.
    static func isNameless(_ segment: [UInt8]) -> Bool {
        !segment.isEmpty && !self.isWord(segment.span, ignoringCase: true)
    }

    /// Whether a word becomes `^` in the shape of a request that contains it in capitals.
    static func hasCapitals(_ segment: [UInt8]) -> Bool {
        guard self.isWord(segment.span, ignoringCase: true) else { return false }
        let capitals = segment.map(\.uppercased)
        return !self.isWord(capitals.span)
    }

    static func kind(of segment: Span<UInt8>) -> Kind {
        if segment.isEmpty || self.isWord(segment) { return .word }
        return self.isWord(segment, ignoringCase: true) ? .capitals : .nameless
    }

    /// Whether a segment looks like a name that an API defines.
    private static func isWord(_ segment: Span<UInt8>, ignoringCase: Bool = false) -> Bool {
        // The dot at the start of names such as `.well-known` is skipped.
        var end = segment.isEmpty || segment[0] != UInt8(ascii: ".") ? 0 : 1
        // This check is sufficient for most IDs, because most IDs start with a digit.
        guard end < segment.count, segment[end].isLetter else { return false }
        for _ in 0..<Self.maximumWords {
            let start = end
            while end < segment.count, !self.isBetweenWords(segment[end]) { end += 1 }
            guard self.isPlain(segment.extracting(start..<end), ignoringCase) else { return false }
            if end == segment.count { return true }
            end += 1
        }
        return false
    }

    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    /// Whether a word is pronounceable, with at most two digits at the end, such as `v2`, `orders`
    /// or `signUp`.
    private static func isPlain(_ word: Span<UInt8>, _ ignoresCase: Bool) -> Bool {
        var letters = 0
        while letters < word.count, word[letters].isLetter { letters += 1 }
        guard !word.isEmpty, letters <= Self.maximumWordLength, word.count - letters <= 2 else {
            return false
        }
        for index in letters..<word.count where !word[index].isDigit { return false }
        var (humps, capitals, consonants, vowels) = (0, 0, 0, 0)
        for index in 0..<letters {
            let letter = word[index].lowercased
            if letter != word[index], !ignoresCase {
                if capitals == 0 { humps += 1 }
                capitals += 1
                // This limit allows capitals at the start of a word, and short names such as `API`.
                guard capitals <= 4 else { return false }
            } else {
                capitals = 0
            }
            if self.isVowel(letter) {
                vowels += 1
                consonants = 0
            } else {
                consonants += 1
            }
            guard consonants <= 4 else { return false }
        }
        return humps <= 4 && (vowels > 0 || letters <= 4)
    }

    private static func isVowel(_ letter: UInt8) -> Bool {
        switch letter {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"),
            UInt8(ascii: "u"), UInt8(ascii: "y"):
            true
        default: false
        }
    }
}

/// A segment in an API document, in the form in which requests for the segment are recorded.
package struct PathWord: Sendable, Hashable {
    /// The spelling of the segment in shapes.
    package let text: String
    package let kind: PathShape.Kind
    /// Whether the segment becomes `^` in the shape of a request that contains it in capitals.
    package let mayBeCapitals: Bool

    /// Creates a word from a segment of an API document.
    ///
    /// Returns `nil` if backends could interpret the segment in different ways, because requests
    /// for the segment then have no shape.
    package init?(_ segment: String) {
        guard let path = ExactPath(Array("/\(segment)".utf8)) else { return nil }
        let bytes = Array(path.bytes.dropFirst())
        guard !bytes.contains(UInt8(ascii: "/")) else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
        self.kind = PathShape.kind(of: bytes.span)
        self.mayBeCapitals = PathShape.hasCapitals(bytes)
    }
}
