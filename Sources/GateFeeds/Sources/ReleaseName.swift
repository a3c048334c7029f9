internal import GatePolicy

/// The name of a Google Play release: free text that may state a version.
///
/// A version is derived only from a name without other text: `3.2.0`, or with a versionCode of the
/// release as `3.2.0 (3020)` or `3020 (3.2.0)`, the format of the Play Console. In `Release 3`,
/// `hotfix 4.1` or `2026-11-27`, the meaning of the numbers is ambiguous.
struct ReleaseName {
    /// The maximum number of characters that a message quotes from a name.
    private static let longestText = 80

    let version: AppVersion?
    private let text: String
    private let codes: [UInt64]

    /// Parses a name; `text` is `nil` if the release has none.
    init(_ text: String?, _ codes: [UInt64]) {
        self.text = (text ?? "").trimmed
        self.codes = codes
        self.version = Self.version(in: self.text, codes)
    }

    /// A note that only the builds of the release are known; `nil` if the version is known.
    var note: String? {
        guard self.version == nil else { return nil }
        let builds = StoreRelease.words(for: self.codes.map { BuildNumber($0) })
        let name =
            self.text.isEmpty
            ? "no name"
            : "the name '\(self.text.prefix(Self.longestText))', which contains no unambiguous "
                + "version"
        return "the release with \(builds) has \(name): it only counts for rules with builds; use "
            + "a name such as '3.2.0' or '3.2.0 (3020)'"
    }

    private static func version(in name: String, _ codes: [UInt64]) -> AppVersion? {
        guard name.hasSuffix(")"), let open = name.firstIndex(of: "(") else {
            // By default, Google Play names a release with several artifacts after its date.
            return codes.count > 1 && self.isDate(name) ? nil : self.version(name)
        }
        let first = String(name[..<open]).trimmed
        let second = String(name[name.index(after: open)...].dropLast()).trimmed
        if let code = UInt64(second), codes.contains(code) { return self.version(first) }
        if let code = UInt64(first), codes.contains(code) { return self.version(second) }
        return nil
    }

    /// Parses a version with at least two numbers; returns `nil` for a whole number, which may be a
    /// build or a counter.
    private static func version(_ text: String) -> AppVersion? {
        let core = text.prefix { $0 != "-" && $0 != "+" }
        return core.contains(".") ? try? AppVersion(parsing: text) : nil
    }

    /// Returns whether a string may be a date such as 2026.11.27 or 27.11.2026.
    private static func isDate(_ text: String) -> Bool {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        let parts = numbers.compactMap(\.self)
        guard parts.count == 3, numbers.count == 3 else { return false }
        let years = 2000...2099
        return years.contains(parts[0]) && self.isDay(parts[1], parts[2])
            || years.contains(parts[2]) && self.isDay(parts[0], parts[1])
    }

    /// Returns whether two numbers may be a month and a day, in either order.
    private static func isDay(_ one: Int, _ other: Int) -> Bool {
        1...31 ~= max(one, other) && 1...12 ~= min(one, other)
    }
}

extension String {
    fileprivate var trimmed: String {
        let start = self.drop { $0.isWhitespace }
        return String(start.reversed().drop { $0.isWhitespace }.reversed())
    }
}
