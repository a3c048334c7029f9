/// A method and a path without what looks like the name of one thing or one person: `GET /video/*`.
///
/// Only segments that look like words of the API stay. Numbers, ids, tokens, addresses and whatever is
/// encoded are `*`, and the query is gone.
package struct PathShape: Sendable, Hashable {
    /// Bytes and segments of the longest path that has a shape.
    package static let longestPath = 200
    private static let mostSegments = 12
    /// Words between hyphens, dots and underscores: a name with more is the title of something.
    private static let mostWords = 4
    private static let longestWord = 20
    private static let anything = UInt8(ascii: "*")
    /// Stands in the place of `*` where one path of many is wanted; no rule names it.
    private static let standIn = "~0~"

    /// Method and path: `GET /video/*`.
    package let text: String

    /// - Returns: `nil` for a request of which a shape would not say enough: its path has several
    ///   readings, or is long, or has a segment of which nobody can tell what it is.
    package init?(method: Span<UInt8>, target: Span<UInt8>) {
        let length = target.firstIndex(of: UInt8(ascii: "?")) ?? target.count
        guard Self.isKnown(method), length <= Self.longestPath else { return nil }
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
            let segment = bytes.extracting((start + 1)..<end)
            let isWord = segment.isEmpty || Self.isWord(segment)
            // A word to those alone who do not tell letters by their case.
            guard isWord || !Self.isWord(segment, ignoringCase: true) else { return nil }
            guard names.append(isWord: isWord) else { return nil }
            start = end
        }
        self.text = names.text(method, bytes)
    }

    /// The segments of a path, as far as they are words.
    private struct Segments {
        private var count = 0
        /// A bit for each that is none.
        private var nameless: UInt16 = 0

        /// - Returns: Whether there was room for it.
        mutating func append(isWord: Bool) -> Bool {
            guard self.count < PathShape.mostSegments else { return false }
            if !isWord { self.nameless |= 1 << self.count }
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
                var rest = self.nameless
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
                        unsafe text[count] = PathShape.anything
                        count += 1
                    }
                }
                return count
            }
        }
    }

    private static func isKnown(_ method: Span<UInt8>) -> Bool {
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

    /// A path of this shape, with other segments in the places of some that may be anything.
    func path(_ choice: [Int: String] = [:]) -> String {
        let segments = self.segments.enumerated().map { index, segment in
            segment == "*" ? choice[index] ?? Self.standIn : segment
        }
        return "/" + segments.joined(separator: "/")
    }

    /// Whether a segment, however its letters are written, is `*` in a shape.
    static func isNameless(_ segment: [UInt8]) -> Bool {
        !segment.isEmpty && !self.isWord(segment.span, ignoringCase: true)
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
