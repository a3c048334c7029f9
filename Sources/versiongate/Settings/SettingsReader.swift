import FoundationEssentials
import GateRules

/// Reads settings from flags, the environment and the configuration file, in this order of
/// precedence.
struct SettingsReader {
    private let flags: [SettingName: String]
    private let environment: [String: String]
    private let file: [String: String]

    /// Creates a reader for the settings of a command.
    ///
    /// - Parameters:
    ///   - flags: The settings on the command line.
    ///   - file: The path of a YAML or JSON file; `nil` if there is no configuration file.
    /// - Throws: `SettingsError` if the file cannot be read or has an unknown key.
    init(flags: [SettingName: String], file: String?) throws(SettingsError) {
        self.flags = flags
        self.environment = ProcessInfo.processInfo.environment
        self.file = try file.map(Self.entries) ?? [:]
    }

    /// Returns the settings in the file; an unknown key is an error, because it would have no
    /// effect.
    private static func entries(of file: String) throws(SettingsError) -> [String: String] {
        let known = Settings.rows.map(\.name.key)
        var texts: [String: String] = [:]
        do throws(RulesFileError) {
            for entry in try SettingsFile(path: file).entries {
                guard known.contains(entry.key) else {
                    let nearest = Spelling.hint(for: entry.key, among: known)
                    let names = "; the known settings are \(known.joined(separator: ", "))"
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

    /// Returns the value of a setting, or its default; `nil` if the setting is not given and has no
    /// default.
    ///
    /// A list in the file is joined with commas.
    ///
    /// - Throws: `SettingsError` if the value is invalid.
    func optional<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>
    ) throws(SettingsError) -> Value? {
        let setting = Settings[setting]
        guard let text = self.text(of: setting.name) ?? setting.defaultText else { return nil }
        guard let value = setting.form.parse(text) else {
            throw SettingsError(
                "\(setting.name.flag) '\(text)': expected \(setting.form.expected)"
                    + setting.form.hint(text)
            )
        }
        return value
    }

    /// Returns whether a setting is given as a flag, in the environment or in the file.
    func isSet<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> Bool {
        self.text(of: Settings[setting].name) != nil
    }

    private func text(of name: SettingName) -> String? {
        self.flags[name] ?? self.environment[name.environmentVariable] ?? self.file[name.key]
    }

    /// Returns the value of a setting that has a default or is required.
    func value<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>
    ) throws(SettingsError) -> Value {
        guard let value = try self.optional(setting) else {
            let name = Settings[setting].name
            throw .missing(setting, misspelt: EnvironmentNames.misspelt(as: name))
        }
        return value
    }

    /// Opens the file that a setting names; returns `nil` if the setting is not given.
    func open<Opened>(
        _ setting: KeyPath<Settings, Setting<String>>,
        _ open: (String) throws -> Opened
    ) throws(SettingsError) -> Opened? {
        try Settings.open(setting, self.optional(setting), open)
    }
}

extension Settings {
    /// Opens the file at `path`, which is the value of `setting`; returns `nil` if `path` is `nil`.
    ///
    /// - Throws: An error that names the setting and the file.
    static func open<Opened>(
        _ setting: KeyPath<Settings, Setting<String>>,
        _ path: String?,
        _ open: (String) throws -> Opened
    ) throws(SettingsError) -> Opened? {
        guard let path else { return nil }
        do {
            return try open(path)
        } catch {
            throw SettingsError("\(Settings[setting].name.flag) '\(path)': \(error)")
        }
    }
}
