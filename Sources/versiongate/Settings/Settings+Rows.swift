/// Access to the settings as a list and by key path.
extension Settings {
    /// All settings in declaration order.
    static let rows: [any SettingRow] = Mirror(reflecting: table).children.compactMap {
        $0.value as? any SettingRow
    }

    static subscript<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> Setting<Value> {
        self.table[keyPath: setting]
    }
}
