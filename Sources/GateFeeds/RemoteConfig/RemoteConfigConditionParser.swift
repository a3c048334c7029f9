internal import GatePolicy
internal import GateRules

/// A parser for condition expressions.
///
/// Unknown elements are undecidable rather than errors: Firebase has validated the expression, and
/// new elements are added from time to time.
struct RemoteConfigConditionParser {
    private var rest: Substring

    static func parse(_ expression: String) -> RemoteConfigCondition {
        RemoteConfigCondition(
            elements: Self.parts(of: expression).map { part in
                var parser = Self(rest: part)
                return parser.element() ?? .undecidable(String(part))
            }
        )
    }

    /// Splits an expression at each `&&` outside a string literal.
    private static func parts(of expression: String) -> [Substring] {
        var parts: [Substring] = []
        var start = expression.startIndex
        var index = start
        var isText = false
        while index < expression.endIndex {
            let next = expression.index(after: index)
            switch expression[index] {
            case "\\" where isText:
                index = next < expression.endIndex ? expression.index(after: next) : next
                continue
            case "'":
                isText.toggle()
            case "&" where !isText && expression[next...].first == "&":
                parts.append(expression[start..<index])
                start = expression.index(after: next)
                index = start
                continue
            default:
                break
            }
            index = next
        }
        parts.append(expression[start...])
        return parts.map(\.trimmingBlanks)
    }

    private mutating func element() -> RemoteConfigCondition.Element? {
        let element = self.knownElement()
        guard self.rest.isEmpty else { return nil }
        return element
    }

    private mutating func knownElement() -> RemoteConfigCondition.Element? {
        if self.take("true") { return .constant(true) }
        if self.take("false") { return .constant(false) }
        if self.take("device.os") {
            return self.texts(in: .equalOrIn).map { .platform(Set($0.map { $0.lowercased() })) }
        }
        if self.take("device.language") {
            return self.texts(in: .equalOrIn).map { languages in
                .language(Set(languages.map { $0.lowercased().replacing("_", with: "-") }))
            }
        }
        if self.take("app.id") {
            return self.texts(in: .equal)?.first.map { .app($0) }
        }
        if self.take("app.version.") { return self.version() }
        if self.take("app.build.") { return self.build() }
        if self.take("dateTime") || self.take("device.dateTime") { return self.time() }
        return nil
    }

    private mutating func version() -> RemoteConfigCondition.Element? {
        if let element = self.written(.version) { return element }
        return self.comparison { try? AppVersion(parsing: $0) }.map { .version($0, $1) }
    }

    /// Parses a condition on a build; builds with dots are not supported.
    private mutating func build() -> RemoteConfigCondition.Element? {
        if let element = self.written(.build) { return element }
        return self.comparison { UInt64($0).map { BuildNumber($0) } }.map { .build($0, $1) }
    }

    /// Parses a comparison such as `>=(['1.2.0'])` or `exactlyMatches(['1.2.0', '1.2.1'])`.
    private mutating func comparison<Value>(
        _ read: (String) -> Value?
    ) -> (RemoteConfigCondition.Relation, [Value])? {
        let isList = self.take("exactlyMatches")
        guard let relation = isList ? .equal : self.relation(), let texts = self.argument(),
            isList || texts.count == 1
        else { return nil }
        let values = texts.compactMap(read)
        return values.count == texts.count ? (relation, values) : nil
    }

    /// Parses a test with `contains`, `notContains` or `matches`, such as `contains(['1.2', 'beta'])`;
    /// one matching string is sufficient to meet the condition.
    private mutating func written(
        _ part: RemoteConfigCondition.WrittenTest.Part
    ) -> RemoteConfigCondition.Element? {
        let isMet = !self.take("notContains")
        let isContained = !isMet || self.take("contains")
        guard isContained || self.take("matches"), let texts = self.argument() else { return nil }
        // The gate does not treat build metadata after a `+` as part of a version.
        guard part == .build || !texts.contains(where: { $0.contains("+") && isContained }) else {
            return nil
        }
        let pattern =
            isContained
            ? try? WrittenPattern(anyOf: texts)
            : try? WrittenPattern(parsing: texts.count == 1 ? texts[0] : Self.alternatives(texts))
        return pattern.map { .written(.init(part: part, pattern: $0), isMet: isMet) }
    }

    private static func alternatives(_ patterns: [String]) -> String {
        patterns.map { "(?:\($0))" }.joined(separator: "|")
    }

    /// Parses a relation such as `>= dateTime('2026-01-02T03:04:05', 'UTC')`; the default zone is GMT.
    private mutating func time() -> RemoteConfigCondition.Element? {
        self.skipBlanks()
        guard let relation = self.relation() else { return nil }
        self.skipBlanks()
        guard self.take("dateTime("), let local = self.text() else { return nil }
        var zone = "GMT"
        if self.take(",") {
            self.skipBlanks()
            guard let text = self.text() else { return nil }
            zone = text
        }
        guard self.take(")"), let time = try? Timestamp(parsing: local + "Z") else { return nil }
        return .time(relation, time, zone: zone)
    }

    private enum Membership {
        case equal
        case equalOrIn
    }

    /// Parses a membership such as `== 'ios'` or `in ['ios', 'android']`.
    private mutating func texts(in membership: Membership) -> [String]? {
        self.skipBlanks()
        if self.take("==") {
            self.skipBlanks()
            return self.text().map { [$0] }
        }
        guard membership == .equalOrIn, self.take("in") else { return nil }
        self.skipBlanks()
        return self.list()
    }

    private mutating func relation() -> RemoteConfigCondition.Relation? {
        RemoteConfigCondition.Relation.allCases.first { self.take($0.rawValue) }
    }

    /// Parses an argument such as `(['1.2.0'])`.
    private mutating func argument() -> [String]? {
        guard self.take("("), let list = self.list(), self.take(")") else { return nil }
        return list
    }

    private mutating func list() -> [String]? {
        guard self.take("[") else { return nil }
        var texts: [String] = []
        repeat {
            self.skipBlanks()
            guard let text = self.text() else { return nil }
            texts.append(text)
            self.skipBlanks()
        } while self.take(",")
        return self.take("]") ? texts : nil
    }

    private mutating func text() -> String? {
        guard self.take("'") else { return nil }
        var text = ""
        while let character = self.rest.popFirst() {
            switch character {
            case "'": return text
            case "\\": self.rest.popFirst().map { text.append($0) }
            default: text.append(character)
            }
        }
        return nil
    }

    private mutating func skipBlanks() {
        self.rest = self.rest.drop { $0 == " " }
    }

    private mutating func take(_ text: String) -> Bool {
        guard self.rest.hasPrefix(text) else { return false }
        self.rest = self.rest.dropFirst(text.count)
        return true
    }
}
