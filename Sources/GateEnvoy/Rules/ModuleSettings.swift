import GateRules

/// The settings in `filter_config`: YAML or JSON, as Envoy passes a string or a struct.
struct ModuleSettings {
    /// The rules file or folder.
    let rules: String

    private static let rulesKey = "rules"
    /// The name that stands for the settings in messages.
    private static let name = "filter_config"

    /// - Throws: The error to log if the settings are invalid.
    init(_ bytes: [UInt8]) throws(RulesFileError) {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw RulesFileError(file: Self.name, message: Self.hint)
        }
        let file = try SettingsFile(name: Self.name, bytes: bytes)
        for entry in file.entries where entry.key != Self.rulesKey {
            throw entry.remark("unknown setting '\(entry.key)'; \(Self.hint)")
        }
        guard let entry = file.entries.first, !entry.text.isEmpty else {
            throw RulesFileError(file: Self.name, message: Self.hint)
        }
        guard file.entries.count == 1 else { throw entry.remark("'rules' occurs twice") }
        self.rules = entry.text
    }

    private static let hint =
        "write 'rules: PATH' with the path of the rules file, such as /etc/versiongate/rules.yaml"
}
