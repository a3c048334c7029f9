import Configuration
import FoundationEssentials
import SystemPackage
import Yams

/// Reads settings from flags, then the environment, then the configuration file; the first that
/// says something wins.
struct SettingsReader {
    private let config: ConfigReader

    /// - Parameters:
    ///   - flags: what the command line says.
    ///   - file: path of a YAML or JSON file, if there is one.
    /// - Throws: `SettingsError` if the file cannot be read or has a key that does not exist.
    init(flags: [Setting: String], file: String?) async throws {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(
                name: "flags",
                values: Dictionary(
                    uniqueKeysWithValues: flags.map { setting, text in
                        (
                            AbsoluteConfigKey([setting.rawValue]),
                            ConfigValue(.string(text), isSecret: false)
                        )
                    }
                )
            ),
            EnvironmentVariablesProvider().prefixKeys(with: "versiongate"),
        ]
        if let file { providers.append(try await Self.fileProvider(file)) }
        self.config = ConfigReader(providers: providers)
    }

    private static func fileProvider(_ path: String) async throws -> any ConfigProvider {
        do {
            let provider = try await FileProvider<YAMLSnapshot>(filePath: FilePath(path))
            try self.refuseUnknownKeys(in: path)
            return provider
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError("\(path): \(error)")
        }
    }

    /// A key that nobody reads is a setting that somebody believes in.
    private static func refuseUnknownKeys(in path: String) throws {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        guard let mapping = try Yams.compose(yaml: text)?.mapping else { return }
        let known = Setting.allCases.map(\.rawValue)
        for (key, _) in mapping {
            let name = key.string ?? ""
            guard !known.contains(name) else { continue }
            let line = key.mark.map { ":\($0.line):\($0.column)" } ?? ""
            throw SettingsError(
                "\(path)\(line): unknown setting '\(name)'; known are \(known.joined(separator: ", "))"
            )
        }
    }

    /// The text of a setting, or `nil` if nobody says anything about it; a list as one text with
    /// commas.
    func text(_ setting: Setting) -> String? {
        let key = ConfigKey([setting.rawValue])
        return self.config.string(forKey: key)
            ?? self.config.stringArray(forKey: key)?.joined(separator: ",")
    }

    /// A setting that must be there.
    func required<Value>(
        _ setting: Setting,
        _ expected: String,
        _ parse: (String) -> Value?
    ) throws(SettingsError) -> Value {
        guard let value = try self.optional(setting, expected, parse) else {
            throw .missing(setting)
        }
        return value
    }

    /// `expected`: what a good value looks like, for the error.
    func optional<Value>(
        _ setting: Setting,
        _ expected: String,
        _ parse: (String) -> Value?
    ) throws(SettingsError) -> Value? {
        guard let text = self.text(setting) else { return nil }
        guard let value = parse(text) else {
            throw .malformed(setting, text, expected: expected)
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
