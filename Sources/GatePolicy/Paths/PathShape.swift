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
    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "QUERY",
    ]
    private static let anything = "*"
    /// Stands in the place of `*` where one path of many is wanted; no rule names it.
    private static let standIn = "~0~"

    package let method: String
    package let segments: [String]

    /// - Returns: `nil` for a request of which a shape would not say enough: its path has several
    ///   readings, or is long, or has a segment of which nobody can tell what it is.
    package init?(method: ArraySlice<UInt8>, target: ArraySlice<UInt8>) {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        let name = String(decoding: method, as: UTF8.self)
        guard Self.methods.contains(name), path.count <= Self.longestPath,
            let exact = ExactPath(Array(path))
        else { return nil }
        let parts = exact.bytes.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count <= Self.mostSegments else { return nil }
        var segments: [String] = []
        for part in parts {
            guard let segment = Self.segment(Array(part)) else { return nil }
            segments.append(segment)
        }
        self.method = name
        self.segments = segments
    }

    /// Reads a shape as it was kept.
    package init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1].first == "/" else { return nil }
        self.method = String(parts[0])
        self.segments = parts[1].dropFirst().split(
            separator: "/",
            omittingEmptySubsequences: false
        ).map(String.init)
    }

    package var text: String { "\(self.method) /\(self.segments.joined(separator: "/"))" }

    /// A path of this shape, with other segments in the places of some that may be anything.
    func path(_ choice: [Int: String] = [:]) -> String {
        let segments = self.segments.enumerated().map { index, segment in
            segment == Self.anything ? choice[index] ?? Self.standIn : segment
        }
        return "/" + segments.joined(separator: "/")
    }

    /// Whether a segment, however its letters are written, is `*` in a shape.
    static func isNameless(_ segment: [UInt8]) -> Bool {
        !segment.isEmpty && !self.isWord(segment.map(\.lowercased)[...])
    }

    /// - Returns: `nil` for a segment that is a word to those who do not tell letters by their case.
    private static func segment(_ bytes: [UInt8]) -> String? {
        if bytes.isEmpty || self.isWord(bytes[...]) {
            return String(decoding: bytes, as: UTF8.self)
        }
        return self.isNameless(bytes) ? self.anything : nil
    }

    /// Whether somebody who wrote an API named a segment so, as far as its looks tell.
    static func isWord(_ segment: ArraySlice<UInt8>) -> Bool {
        // As in `.well-known`.
        let name = segment.first == UInt8(ascii: ".") ? segment.dropFirst() : segment
        // Nearly all names of things begin with a digit, and are told by that.
        guard name.first?.isLetter == true else { return false }
        let words = name.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
        }
        return words.count <= Self.mostWords && words.allSatisfy(self.isPlain)
    }

    /// Whether a word can be spoken, with at most two digits at its end: `v2`, `orders`, `signUp`.
    private static func isPlain(_ word: ArraySlice<UInt8>) -> Bool {
        let letters = word.prefix { $0.isLetter }
        let digits = word.dropFirst(letters.count)
        guard !word.isEmpty, letters.count <= Self.longestWord, digits.count <= 2,
            digits.allSatisfy({ $0.isDigit })
        else { return false }
        var (humps, capitals, consonants, vowels) = (0, 0, 0, 0)
        for letter in letters {
            if letter != letter.lowercased {
                if capitals == 0 { humps += 1 }
                capitals += 1
                // One that begins a word, or a short name such as `API`.
                guard capitals <= 4 else { return false }
            } else {
                capitals = 0
            }
            let isVowel = "aeiouy".utf8.contains(letter.lowercased)
            vowels += isVowel ? 1 : 0
            consonants = isVowel ? 0 : consonants + 1
            guard consonants <= 4 else { return false }
        }
        return humps <= 4 && (vowels > 0 || letters.count <= 4)
    }
}
