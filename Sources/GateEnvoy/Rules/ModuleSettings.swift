import GateRules

/// The settings in `filter_config`: YAML or JSON, as Envoy passes a string or a struct.
struct ModuleSettings {
    /// The rules file or folder.
    let rules: String

    private static let hint =
        "write 'rules: PATH' with the path of the rules file, such as /etc/versiongate/rules.yaml"

    /// - Throws: The error to log if the settings are invalid.
    init(_ bytes: [UInt8]) throws(RulesFileError) {
        let entries = try SettingsFile.moduleEntries(in: bytes, keys: ["rules"], hint: Self.hint)
        guard let path = entries["rules"]?.text, !path.isEmpty else {
            throw RulesFileError(file: SettingsFile.moduleName, message: Self.hint)
        }
        self.rules = path
    }
}

extension SettingsFile {
    /// The name that stands for the settings in messages.
    static let moduleName = "filter_config"

    /// Returns the settings by their keys.
    ///
    /// - Throws: The error to log if a key is unknown or occurs twice.
    static func moduleEntries(
        in bytes: [UInt8],
        keys: [String],
        hint: String
    ) throws(RulesFileError) -> [String: Entry] {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw RulesFileError(file: Self.moduleName, message: hint)
        }
        var entries: [String: Entry] = [:]
        for entry in try SettingsFile(name: Self.moduleName, bytes: bytes).entries {
            guard keys.contains(entry.key) else {
                throw entry.remark("unknown setting '\(entry.key)'; \(hint)")
            }
            guard entries.updateValue(entry, forKey: entry.key) == nil else {
                throw entry.remark("'\(entry.key)' occurs twice")
            }
        }
        return entries
    }
}
