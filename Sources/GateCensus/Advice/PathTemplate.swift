import GatePolicy

/// A path in an API document, which may have parameters.
package struct PathTemplate: Sendable, Hashable {
    enum Segment: Sendable, Hashable {
        case literal(PathWord)
        /// A parameter for one segment, such as `{id}`.
        case parameter
        /// The literal text around the parameters in one segment, as in `{id}:cancel` or
        /// `v{version}`.
        case mixed([String])
        /// A parameter for any number of segments, such as `{+path}`.
        case rest
        /// A segment that backends could interpret in different ways; requests for it have no
        /// shape.
        case unreadable
    }

    /// The segments, without a trailing empty segment.
    let segments: [Segment]
    private let endsWithSlash: Bool

    /// Parses a path in the notation of API documents.
    ///
    /// - Parameters:
    ///   - text: The path; a query or a fragment in it is ignored.
    ///   - spanning: The parameters whose values may contain slashes.
    package init(_ text: String, spanning: Set<String> = []) {
        var parts = Self.split(text)
        self.endsWithSlash = parts.count > 1 && parts.last?.isEmpty == true
        if parts.last?.isEmpty == true { parts.removeLast() }
        self.segments = parts.flatMap { Self.segments($0, spanning) }
    }

    private init(segments: [Segment], endsWithSlash: Bool) {
        self.segments = segments
        self.endsWithSlash = endsWithSlash
    }

    /// Splits a path into segments; the name of a parameter may contain slashes and question marks.
    private static func split(_ text: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var depth = 0
        for character in text.hasPrefix("/") ? text.dropFirst() : text[...] {
            switch character {
            case "{": depth += 1
            case "}" where depth > 0: depth -= 1
            case "/" where depth == 0:
                parts.append(part)
                part = ""
                continue
            case "?" where depth == 0, "#" where depth == 0: return parts + [part]
            default: break
            }
            part.append(character)
        }
        return parts + [part]
    }

    private static func segments(_ text: String, _ spanning: Set<String>) -> [Segment] {
        var texts = [""]
        var spans = false
        var rest = text[...]
        while let character = rest.first {
            guard character == "{", let name = Self.name(rest) else {
                texts[texts.count - 1].append(character)
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(name.count + 2)
            switch name.first {
            // In RFC 6570, these characters introduce a query, a fragment or parameters after a
            // semicolon, all of which are optional.
            case "?", "&", "#", ";": continue
            case "/": return (texts[0].isEmpty ? [] : Self.segments(texts[0], [])) + [.rest]
            default:
                texts.append("")
                spans = spans || Self.spans(name, spanning)
            }
        }
        if texts.count == 1 {
            // The segment contained only an optional parameter.
            if texts[0].isEmpty { return text.isEmpty ? [.unreadable] : [] }
            return [PathWord(texts[0]).map { .literal($0) } ?? .unreadable]
        }
        if spans { return [.rest] }
        return [texts.allSatisfy(\.isEmpty) ? .parameter : .mixed(texts)]
    }

    /// Returns the text inside the braces at the start of `text`; `nil` if the first brace is not closed.
    ///
    /// A regular expression inside the braces may contain further braces.
    private static func name(_ text: Substring) -> Substring? {
        var depth = 0
        for index in text.indices {
            if text[index] == "{" { depth += 1 }
            if text[index] == "}" { depth -= 1 }
            if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
        }
        return nil
    }

    /// Returns whether the value of a parameter may contain slashes, in the notations of frameworks and
    /// RFC 6570: `+path`, `path*`, `proxy+`, `**path`, `path:path`, `path:.*`.
    private static func spans(_ name: Substring, _ spanning: Set<String>) -> Bool {
        if name.first == "+" || name.first == "*" || name.last == "*" || name.last == "+" {
            return true
        }
        return spanning.contains(String(name)) || name.hasSuffix(":path") || name.hasSuffix("=**")
    }

    /// The template followed by any number of segments; `nil` if it does not end with a parameter.
    ///
    /// In practice, the value of the last parameter can contain slashes, even if the document does not declare it.
    var spanningAtEnd: PathTemplate? {
        guard case .parameter? = self.segments.last else { return nil }
        return PathTemplate(
            segments: self.segments.dropLast() + [.parameter, .rest],
            endsWithSlash: self.endsWithSlash
        )
    }

    /// The template preceded by any number of segments.
    var afterAnything: PathTemplate {
        PathTemplate(segments: [.rest] + self.segments, endsWithSlash: self.endsWithSlash)
    }

    /// Whether requests for the template have a shape, unless the values of parameters are long.
    var hasShape: Bool {
        guard !self.segments.contains(.unreadable) else { return false }
        let (count, length) = self.segments.reduce((0, 0)) { sum, segment in
            switch segment {
            case .literal(let word): (sum.0 + 1, sum.1 + 1 + word.text.utf8.count)
            case .mixed(let texts):
                (sum.0 + 1, sum.1 + 1 + texts.reduce(0) { $0 + $1.utf8.count })
            case .parameter, .unreadable: (sum.0 + 1, sum.1 + 2)
            case .rest: sum
            }
        }
        return count + (self.endsWithSlash ? 1 : 0) <= PathShape.maximumSegments
            && length <= PathShape.longestPath
    }

    /// Whether the template matches any number of segments.
    var isOpen: Bool { self.segments.contains(.rest) }

    /// Whether the template contains a word that distinguishes it from most other paths.
    var hasWord: Bool {
        self.segments.contains { segment in
            guard case .literal(let word) = segment else { return false }
            return word.kind == .word
        }
    }
}

/// The result of matching a shape against a template.
struct TemplateFit: Sendable, Equatable {
    /// How closely each segment of the shape fits, followed by the value for the trailing slash.
    fileprivate(set) var closeness: [UInt8] = []
    /// Whether all requests with the shape fit.
    fileprivate(set) var isCertain = true
    /// Whether the requests fit only if case is ignored.
    fileprivate(set) var isLoose = false
    /// The number of segments before the segments of the template.
    fileprivate(set) var prefix = 0

    /// Returns whether this template takes precedence over another template, because it is more specific.
    func comes(before other: TemplateFit) -> Bool {
        guard self.isCertain, self.closeness.count == other.closeness.count else { return false }
        return self.closeness != other.closeness
            && zip(self.closeness, other.closeness).allSatisfy { $0 >= $1 }
    }
}

extension PathTemplate {
    /// Returns how the segments of a shape fit the template; `nil` if they do not fit.
    func fit(_ shape: [String]) -> TemplateFit? {
        var shape = shape[...]
        let endsWithSlash = shape.count > 1 && shape.last?.isEmpty == true
        if shape.last?.isEmpty == true { shape.removeLast() }
        guard var fit = Self.fit(self.segments[...], shape) else { return nil }
        // Most frameworks accept a path both with and without a trailing slash.
        fit.closeness.append(endsWithSlash == self.endsWithSlash ? 1 : 0)
        return fit
    }

    /// The closeness of a word that differs only in case.
    fileprivate static let otherCase: UInt8 = 3

    private static func fit(
        _ segments: ArraySlice<Segment>,
        _ shape: ArraySlice<String>
    ) -> TemplateFit? {
        var fit = TemplateFit()
        var (segments, shape) = (segments, shape)
        while let segment = segments.popFirst() {
            if case .rest = segment {
                for count in 0...shape.count {
                    guard let end = Self.fit(segments, shape.dropFirst(count)) else { continue }
                    fit.prefix = count
                    fit.closeness += Array(repeating: 0, count: count) + end.closeness
                    fit.isCertain = fit.isCertain && end.isCertain
                    fit.isLoose = fit.isLoose || end.isLoose
                    return fit
                }
                return nil
            }
            guard let shown = shape.popFirst(), let (closeness, isCertain) = segment.fit(shown)
            else { return nil }
            fit.closeness.append(closeness)
            fit.isCertain = fit.isCertain && isCertain
            fit.isLoose = fit.isLoose || closeness == Self.otherCase && !isCertain
        }
        return shape.isEmpty ? fit : nil
    }
}

extension PathTemplate.Segment {
    /// Returns how a segment of a shape fits this segment; `nil` if it does not fit.
    fileprivate func fit(_ shown: String) -> (closeness: UInt8, isCertain: Bool)? {
        let kind = PathShape.kind(shown: shown)
        switch self {
        case .literal(let word):
            switch kind {
            case .word where shown == word.text: return (4, true)
            // Some frameworks ignore case.
            case .word where shown.lowercasedASCII == word.text.lowercasedASCII:
                return (PathTemplate.otherCase, true)
            case .capitals where word.kind == .capitals: return (4, false)
            case .capitals where word.mayBeCapitals: return (PathTemplate.otherCase, false)
            case .nameless where word.kind == .nameless: return (4, false)
            default: return nil
            }
        case .mixed(let texts):
            guard kind == .word else { return (2, false) }
            return Self.matches(shown, texts) ? (2, true) : nil
        case .parameter: return shown.isEmpty ? nil : (1, true)
        case .rest, .unreadable: return nil
        }
    }

    private static func matches(_ shown: String, _ texts: [String]) -> Bool {
        var rest = shown.lowercasedASCII[...]
        let texts = texts.map(\.lowercasedASCII)
        guard let first = texts.first, let last = texts.last, rest.hasPrefix(first) else {
            return false
        }
        rest = rest.dropFirst(first.count)
        for text in texts.dropFirst().dropLast() where !text.isEmpty {
            guard let range = rest.firstRange(of: text) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
