import FoundationEssentials
import GateRules

/// Reads settings from flags, then the environment, then the configuration file; the first that
/// says something wins.
struct SettingsReader {
    private let flags: [SettingName: String]
    private let environment: [String: String]
    private let file: [String: String]

    /// - Parameters:
    ///   - flags: what the command line says.
    ///   - file: path of a YAML or JSON file, if there is one.
    /// - Throws: `SettingsError` if the file cannot be read or has a key that does not exist.
    init(flags: [SettingName: String], file: String?) throws(SettingsError) {
        self.flags = flags
        self.environment = ProcessInfo.processInfo.environment
        self.file = try file.map(Self.entries) ?? [:]
    }

    /// A key that nobody reads is a setting that somebody believes in.
    private static func entries(of file: String) throws(SettingsError) -> [String: String] {
        let known = Settings.rows.map(\.name.key)
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

    /// What is said of a setting, else its default; `nil` if it has none.
    ///
    /// A list in the file is one text with commas.
    ///
    /// - Throws: `SettingsError` if it cannot be understood.
    func optional<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>
    ) throws(SettingsError) -> Value? {
        let setting = Settings[setting]
        let said =
            self.flags[setting.name] ?? self.environment[setting.name.environmentVariable]
            ?? self.file[setting.name.key]
        guard let text = said ?? setting.defaultText else { return nil }
        guard let value = setting.form.parse(text) else {
            throw SettingsError(
                "\(setting.name.flag) '\(text)': expected \(setting.form.expected)"
                    + setting.form.hint(text)
            )
        }
        return value
    }

    /// The same of a setting that has a default, or must be there.
    func value<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>
    ) throws(SettingsError) -> Value {
        guard let value = try self.optional(setting) else {
            let name = Settings[setting].name
            throw .missing(setting, misspelt: EnvironmentNames.misspelt(as: name))
        }
        return value
    }
}
