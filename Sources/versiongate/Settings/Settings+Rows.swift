/// The settings as a list.
extension Settings {
    /// All settings, in the order of their declarations.
    static let rows: [any SettingRow] = Mirror(reflecting: table).children.compactMap {
        $0.value as? any SettingRow
    }

    static subscript<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> Setting<Value> {
        self.table[keyPath: setting]
    }
}
