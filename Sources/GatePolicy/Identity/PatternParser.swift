struct PatternParser {
    /// The maximum length of a pattern in bytes, which also limits the nesting of groups.
    static let maximumLength = 512
    static let maximumRepetition = 100

    private var rest: Substring
    /// The parts captured by the groups parsed so far; `nil` if groups cannot have names.
    private var fields: Set<UserAgentField>?
    private var ignoresCase = false

    /// Parses a whole pattern.
    ///
    /// If `readsParts` is true, named groups capture parts of an identity, and at least one group
    /// must capture the version or the build. Otherwise, groups cannot have names.
    static func parse(
        _ text: String,
        readsParts: Bool
    ) throws(PatternError) -> PatternSyntax {
        guard !text.isEmpty else { throw .empty }
        guard text.utf8.count <= Self.maximumLength else { throw .tooComplex }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else { throw .nonASCII }
        var parser = PatternParser(rest: text[...], fields: readsParts ? [] : nil)
        parser.ignoresCase = parser.skip("(?i)")
        let syntax = try parser.alternatives()
        if let left = parser.rest.first { throw .unexpected(left) }
        if let fields = parser.fields, fields.isDisjoint(with: [.version, .build]) {
            throw .noVersion
        }
        return syntax
    }

    private mutating func skip(_ text: String) -> Bool {
        guard self.rest.hasPrefix(text) else { return false }
        self.rest.removeFirst(text.count)
        return true
    }

    private mutating func next() throws(PatternError) -> Character {
        guard let next = self.rest.popFirst() else { throw .unfinished }
        return next
    }

    private mutating func alternatives() throws(PatternError) -> PatternSyntax {
        var branches = [try self.sequence()]
        while self.skip("|") { branches.append(try self.sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternSyntax {
        var steps: [PatternSyntax] = []
        while let next = self.rest.first, next != "|", next != ")" {
            let step = try self.atom()
            steps.append(try self.repetition(of: step))
        }
        return steps.isEmpty ? .empty : .sequence(steps)
    }

    private mutating func atom() throws(PatternError) -> PatternSyntax {
        let character = try self.next()
        switch character {
        case "^": return .start
        case "$": return .end
        case ".": return .bytes(.any)
        case "(": return try self.group()
        case "[": return .bytes(self.folded(try self.characterClass()))
        case "\\": return self.skip("b") ? .wordBoundary : .bytes(self.folded(try self.escape()))
        case "*", "+", "?", "{", "}", "]": throw .unexpected(character)
        default: return .bytes(self.folded(PatternClass(try self.byte(character))))
        }
    }

    private func folded(_ set: PatternClass) -> PatternClass {
        var set = set
        if self.ignoresCase { set.foldCase() }
        return set
    }

    private func byte(_ character: Character) throws(PatternError) -> UInt8 {
        guard let byte = character.asciiValue else { throw .nonASCII }
        return byte
    }

    private mutating func group() throws(PatternError) -> PatternSyntax {
        var field: UserAgentField?
        if self.skip("?<") || self.skip("?P<") {
            field = try self.fieldName()
        } else if self.rest.first == "?", !self.skip("?:") {
            throw .unsupported("(" + self.rest.prefix(2))
        }
        let content = try self.alternatives()
        guard self.skip(")") else { throw .unfinished }
        guard let field else { return content }
        return .group(field, content)
    }

    private mutating func fieldName() throws(PatternError) -> UserAgentField {
        guard let end = self.rest.firstIndex(of: ">") else { throw .unfinished }
        let name = String(self.rest[..<end])
        if name.first == "=" || name.first == "!" { throw .unsupported("(?<" + name.prefix(1)) }
        guard self.fields != nil else { throw .unsupported("(?<\(name)>") }
        guard let field = UserAgentField(rawValue: name) else { throw .unknownGroup(name) }
        guard self.fields?.insert(field).inserted == true else { throw .duplicateGroup(name) }
        self.rest = self.rest[end...].dropFirst()
        return field
    }

    private mutating func repetition(
        of step: PatternSyntax
    ) throws(PatternError) -> PatternSyntax {
        let minimum: Int
        let maximum: Int?
        switch self.rest.first {
        case "*": (minimum, maximum) = (0, nil)
        case "+": (minimum, maximum) = (1, nil)
        case "?": (minimum, maximum) = (0, 1)
        case "{":
            (minimum, maximum) = try self.counts()
        default:
            return step
        }
        self.rest.removeFirst()
        let isLazy = self.skip("?")
        if let next = self.rest.first, "*+?{".contains(next) { throw .unexpected(next) }
        return .repetition(step, minimum: minimum, maximum: maximum, isLazy: isLazy)
    }

    /// Parses `{2}`, `{2,}` or `{2,5}` up to the closing brace.
    private mutating func counts() throws(PatternError) -> (Int, Int?) {
        guard let end = self.rest.firstIndex(of: "}") else { throw .unfinished }
        let text = self.rest[..<end].dropFirst()
        let bounds = text.split(separator: ",", omittingEmptySubsequences: false)
        guard bounds.count <= 2, let first = bounds.first, let minimum = try Self.count(first)
        else {
            throw .unsupported("{\(text)}")
        }
        let maximum = bounds.count == 1 ? minimum : try Self.count(bounds[1])
        if let maximum, maximum < minimum { throw .reversedRange(String(text)) }
        self.rest = self.rest[end...]
        return (minimum, maximum)
    }

    /// Parses a count; returns `nil` if `digits` is empty.
    private static func count(_ digits: Substring) throws(PatternError) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard let number = DecimalNumber(digits: digits.utf8Span.span) else {
            throw .unsupported("{\(digits)}")
        }
        guard case .small(let value) = number, value <= UInt64(Self.maximumRepetition) else {
            throw .tooComplex
        }
        return Int(value)
    }

    private mutating func escape() throws(PatternError) -> PatternClass {
        let character = try self.next()
        var set: PatternClass
        switch character {
        case "d", "D": set = .digits
        case "w", "W": set = .words
        case "s", "S": set = .spaces
        default:
            // Other engines assign a meaning to some of these letters, so the pattern would not be
            // portable.
            guard !character.isLetter, !character.isNumber else {
                throw .unsupported("\\\(character)")
            }
            return PatternClass(try self.byte(character))
        }
        if character.isUppercase { set.invert() }
        return set
    }

    private mutating func characterClass() throws(PatternError) -> PatternClass {
        var set = PatternClass()
        let isInverted = self.skip("^")
        var isFirst = true
        while isFirst || self.rest.first != "]" {
            isFirst = false
            let character = try self.next()
            if character == "\\" {
                set.formUnion(try self.escape())
                continue
            }
            let low = try self.byte(character)
            guard self.rest.first == "-", !self.rest.hasPrefix("-]") else {
                set.insert(low...low)
                continue
            }
            self.rest.removeFirst()
            let last = try self.next()
            // Engines interpret `[a-\d]` in different ways.
            guard last != "\\" else { throw .unexpected("\\") }
            let high = try self.byte(last)
            guard low <= high else { throw .reversedRange("\(character)-\(last)") }
            set.insert(low...high)
        }
        self.rest.removeFirst()
        // In a case-insensitive pattern, `[^a]` excludes both cases of `a`.
        if isInverted {
            if self.ignoresCase { set.foldCase() }
            set.invert()
        }
        return set
    }
}

/// The syntax tree of a pattern.
///
/// The syntax is the subset of common regular expressions that can always be matched in linear
/// time: characters, `.`, classes, groups, alternatives, repetition, `^`, `$` and `\b`.
/// Backreferences and lookaround are not supported.
indirect enum PatternSyntax: Equatable {
    case empty
    case bytes(PatternClass)
    case start
    case end
    case wordBoundary
    case sequence([PatternSyntax])
    case alternatives([PatternSyntax])
    case group(UserAgentField, PatternSyntax)
    /// A repetition, which is unlimited without a maximum. A lazy repetition prefers fewer
    /// iterations.
    case repetition(PatternSyntax, minimum: Int, maximum: Int?, isLazy: Bool)
}
