/// A method and a path without what looks like the name of one thing or one person: `GET /video/*`.
///
/// Only segments that look like words of the API stay. Numbers, ids, tokens, addresses and whatever is
/// encoded are `*`, and the query is gone. A word in capitals (`PENDING`) may be a name of the API as well as
/// a code of one person; it is `^`, so that it is not kept, and still known as a word to rules that ignore case.
package struct PathShape: Sendable, Hashable {
    /// Bytes and segments of the longest path that has a shape.
    package static let longestPath = 200
    package static let mostSegments = 12
    /// Words between hyphens, dots and underscores: a name with more is the title of something.
    private static let mostWords = 4
    private static let longestWord = 20
    private static let anything = UInt8(ascii: "*")
    private static let capitals = UInt8(ascii: "^")
    /// Stands in the place of `*` where one path of many is wanted; no rule names it.
    private static let standIn = "~0~"

    /// Method and path: `GET /video/*`.
    package let text: String

    /// - Returns: `nil` for a request of which a shape would not say enough: its path has several
    ///   readings, or is long, or has many segments.
    package init?(method: Span<UInt8>, target: Span<UInt8>) {
        let length = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        guard Self.keeps(method: method), length <= Self.longestPath else { return nil }
        var path: [UInt8] = []
        path.append(target.extracting(..<length))
        guard let exact = ExactPath(path) else { return nil }
        let bytes = exact.bytes.span
        var names = Segments()
        var start = 0
        // At each start there is a slash.
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

    /// The part of a segment that a shape keeps.
    package enum Kind: Sendable, Hashable {
        /// The segment itself.
        case word
        /// `^`, in place of a segment that only its capitals keep from being a word.
        case capitals
        /// `*`.
        case nameless
    }

    /// The segments of a path, as far as they are words.
    private struct Segments {
        private var count = 0
        /// A bit for each that is none.
        private var nameless: UInt16 = 0
        /// A bit for each of these that is a word where case is ignored.
        private var capitals: UInt16 = 0

        /// - Returns: Whether there was room for it.
        mutating func append(_ kind: Kind) -> Bool {
            guard self.count < PathShape.mostSegments else { return false }
            if kind != .word { self.nameless |= 1 << self.count }
            if kind == .capitals { self.capitals |= 1 << self.count }
            self.count += 1
            return true
        }

        /// Writes method and path, of which the path has these segments; it cannot become longer.
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

    /// Whether requests with a method have shapes; of others, clients make up any number.
    package static func keeps(method: Span<UInt8>) -> Bool {
        switch method.text {
        case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE",
            "QUERY":
            true
        default: false
        }
    }

    /// Reads a shape as it was kept.
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

    /// Whether a segment was a word in capitals.
    var hasCapitals: Bool { self.text.utf8.contains(Self.capitals) }

    /// The shape as reports show it, in which a word in capitals is a parameter like any other.
    package var general: PathShape {
        guard self.hasCapitals else { return self }
        return PathShape(written: self.text.replacing("^", with: "*"))
    }

    private init(written text: String) { self.text = text }

    /// The kind of a segment that a shape shows.
    package static func kind(shown segment: String) -> Kind {
        switch segment {
        case "*": .nameless
        case "^": .capitals
        default: .word
        }
    }

    /// The segments of a pattern, by their places, that shapes may leave out.
    struct Omitted: Sendable {
        /// Those that are `*`, however their letters are written.
        var nameless: [Int: String] = [:]
        /// Those that are `^` if they come in capitals.
        var capitals: [Int: String] = [:]
    }

    /// A path of this shape, with other segments in the places of some that it leaves out.
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

    /// Whether a segment, however its letters are written, is `*` in a shape.
    static func isNameless(_ segment: [UInt8]) -> Bool {
        !segment.isEmpty && !self.isWord(segment.span, ignoringCase: true)
    }

    /// Whether a word is `^` in the shape of a request that writes it in capitals.
    static func hasCapitals(_ segment: [UInt8]) -> Bool {
        guard self.isWord(segment.span, ignoringCase: true) else { return false }
        let capitals = segment.map(\.uppercased)
        return !self.isWord(capitals.span)
    }

    static func kind(of segment: Span<UInt8>) -> Kind {
        if segment.isEmpty || self.isWord(segment) { return .word }
        return self.isWord(segment, ignoringCase: true) ? .capitals : .nameless
    }

    /// Whether somebody who wrote an API named a segment so, as far as its looks tell.
    private static func isWord(_ segment: Span<UInt8>, ignoringCase: Bool = false) -> Bool {
        // As in `.well-known`.
        var end = segment.isEmpty || segment[0] != UInt8(ascii: ".") ? 0 : 1
        // Nearly all names of things begin with a digit, and are told by that.
        guard end < segment.count, segment[end].isLetter else { return false }
        for _ in 0..<Self.mostWords {
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

    /// Whether a word can be spoken, with at most two digits at its end: `v2`, `orders`, `signUp`.
    private static func isPlain(_ word: Span<UInt8>, _ ignoresCase: Bool) -> Bool {
        var letters = 0
        while letters < word.count, word[letters].isLetter { letters += 1 }
        guard !word.isEmpty, letters <= Self.longestWord, word.count - letters <= 2 else {
            return false
        }
        for index in letters..<word.count where !word[index].isDigit { return false }
        var (humps, capitals, consonants, vowels) = (0, 0, 0, 0)
        for index in 0..<letters {
            let letter = word[index].lowercased
            if letter != word[index], !ignoresCase {
                if capitals == 0 { humps += 1 }
                capitals += 1
                // One that begins a word, or a short name such as `API`.
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
