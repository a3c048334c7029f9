import GateProxy
import GateSystem
import NIOCore

/// The parser for the string values of a setting.
struct SettingFormat<Value: Sendable>: Sendable {
    /// A description of valid values, for errors and docs.
    let expected: String
    /// Returns the parsed value of a string; `nil` if the string is invalid.
    let parse: @Sendable (String) -> Value?
    /// Returns a hint that is appended to the error for an invalid string.
    let hint: @Sendable (String) -> String

    init(
        _ expected: String,
        hint: @escaping @Sendable (String) -> String = { _ in "" },
        _ parse: @escaping @Sendable (String) -> Value?
    ) {
        self.expected = expected
        self.parse = parse
        self.hint = hint
    }
}

extension SettingFormat where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Self {
        let end = range.upperBound == .max ? "up" : "to \(range.upperBound)"
        return Self("a whole number from \(range.lowerBound) \(end)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension SettingFormat where Value == Bool {
    static let boolean = Self("true or false") { text in
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }
}

extension SettingFormat where Value == TimeAmount {
    /// A time in seconds, with an optional fraction.
    static let seconds = Self("a number of seconds from 0.1 to 86400") { text in
        Double(text).flatMap { (0.1...86400).contains($0) ? .milliseconds(Int64($0 * 1_000)) : nil }
    }
}

extension SettingFormat where Value == TimeAmount? {
    /// A time in seconds, or `off`.
    static let secondsOrOff = Self("a number of seconds from 0.1 to 86400, or off") { text in
        // `off` is parsed as `.some(nil)`; the result for an invalid string is `nil`.
        text.lowercased() == "off"
            ? .some(nil) : SettingFormat<TimeAmount>.seconds.parse(text).map { .some($0) }
    }
}

extension SettingFormat where Value == String {
    static let path = Self("a path") { $0.isEmpty ? nil : $0 }
}

extension SettingFormat where Value == FetchURL {
    static let fetchURL = Self("an https:// URL, or an http:// URL on this machine") { text in
        try? FetchURL(parsing: text)
    }
}

extension SettingFormat where Value == [String] {
    static let paths = Self("paths, separated by commas") { text in
        let paths = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
            .map { String($0.reversed().drop { $0 == " " }.reversed()) }
        return paths.contains("") ? nil : paths
    }
}

extension SettingFormat where Value == Endpoint {
    /// An endpoint or a port.
    ///
    /// A port alone means the loopback address: other machines get access only with an explicit host.
    static let adminEndpoint = Self("PORT or HOST:PORT") { text in
        Endpoint(Int(text) == nil ? text : "127.0.0.1:\(text)")
    }

    static let endpoint = Self("HOST:PORT", hint: { Endpoint.hint(for: $0) }) { Endpoint($0) }
}

extension SettingFormat where Value: RawRepresentable<String> & CaseIterable {
    /// A raw value of an enumeration.
    static var word: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self("\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")") {
            Value(rawValue: $0)
        }
    }
}

extension SettingFormat where Value == TrustedProxies {
    static let trustedProxies = Self("addresses or CIDR ranges, separated by commas") {
        TrustedProxies($0.split(separator: ",").map { String($0.filter { $0 != " " }) })
    }
}
