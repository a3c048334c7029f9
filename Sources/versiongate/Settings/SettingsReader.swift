import FoundationEssentials
import GateControl

/// Reads settings from flags, then the environment, then the configuration file; the first that
/// says something wins.
struct SettingsReader {
    private let flags: [Setting: String]
    private let environment: [String: String]
    private let file: [String: String]

    /// - Parameters:
    ///   - flags: what the command line says.
    ///   - file: path of a YAML or JSON file, if there is one.
    /// - Throws: `SettingsError` if the file cannot be read or has a key that does not exist.
    init(flags: [Setting: String], file: String?) throws(SettingsError) {
        self.flags = flags
        self.environment = ProcessInfo.processInfo.environment
        self.file = try file.map(Self.entries) ?? [:]
    }

    /// A key that nobody reads is a setting that somebody believes in.
    private static func entries(of file: String) throws(SettingsError) -> [String: String] {
        let known = Setting.allCases.map(\.rawValue)
        var texts: [String: String] = [:]
        do throws(RulesFileError) {
            for entry in try SettingsFile(path: file).entries {
                guard known.contains(entry.key) else {
                    let nearest = Spelling.hint(for: entry.key, among: known)
                    let names = "; known are \(known.joined(separator: ", "))"
                    let hint = nearest.isEmpty ? names : nearest
                    throw entry.remark("unknown setting '\(entry.key)'\(hint)")
                }
                texts[entry.key] = entry.text
            }
        } catch {
            throw SettingsError("\(error)")
        }
        return texts
    }

    /// The text of a setting, or `nil` if nobody says anything about it; a list as one text with
    /// commas.
    func text(_ setting: Setting) -> String? {
        self.flags[setting] ?? self.environment[setting.environmentVariable]
            ?? self.file[setting.rawValue]
    }

    /// A setting that must be there.
    func required<Value>(
        _ setting: Setting,
        _ expected: String,
        hint: (String) -> String = { _ in "" },
        _ parse: (String) -> Value?
    ) throws(SettingsError) -> Value {
        guard let value = try self.optional(setting, expected, hint: hint, parse) else {
            throw .missing(setting, misspelt: EnvironmentNames.misspelt(as: setting))
        }
        return value
    }

    /// `expected`: what a good value looks like, for the error; `hint`: what is to be said of a bad one.
    func optional<Value>(
        _ setting: Setting,
        _ expected: String,
        hint: (String) -> String = { _ in "" },
        _ parse: (String) -> Value?
    ) throws(SettingsError) -> Value? {
        guard let text = self.text(setting) else { return nil }
        guard let value = parse(text) else {
            throw .malformed(setting, text, expected: expected, hint: hint(text))
        }
        return value
    }

    func number(
        _ setting: Setting,
        in range: ClosedRange<Int>
    ) throws(SettingsError) -> Int? {
        try self.optional(setting, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A time in seconds, which may have a fraction.
    func seconds(_ setting: Setting) throws(SettingsError) -> Double? {
        try self.optional(setting, "a number of seconds from 0.1 to 86400", Self.seconds)
    }

    /// A time that may be none at all.
    enum SecondsOrOff {
        case seconds(Double)
        case off
    }

    func secondsOrOff(_ setting: Setting) throws(SettingsError) -> SecondsOrOff? {
        try self.optional(setting, "a number of seconds from 0.1 to 86400, or off") { text in
            text.lowercased() == "off" ? .off : Self.seconds(text).map { .seconds($0) }
        }
    }

    private static func seconds(_ text: String) -> Double? {
        Double(text).flatMap { (0.1...86400).contains($0) ? $0 : nil }
    }

    func boolean(_ setting: Setting) throws(SettingsError) -> Bool? {
        try self.optional(setting, "true or false") { text in
            switch text.lowercased() {
            case "true", "yes", "on", "1": true
            case "false", "no", "off", "0": false
            default: nil
            }
        }
    }
}
