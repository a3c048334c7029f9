/// An error for a missing or invalid setting.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Returns the error for a missing setting.
    ///
    /// `misspelt` is an environment variable that was probably meant for the setting; `nil` if there
    /// is none.
    static func missing<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>,
        misspelt: String? = nil
    ) -> SettingsError {
        let name = Settings[setting].name
        let variable = name.environmentVariable
        let hint = misspelt.map { "; \($0) is set in the environment: did you mean \(variable)?" }
        return SettingsError(
            "\(name.flag) is required: pass the flag, or set \(variable) "
                + "or '\(name.key)' in the configuration file\(hint ?? "")"
        )
    }

    /// Returns the error for a setting that has no effect because another setting is missing or
    /// unsuitable.
    ///
    /// This is an error and not a warning, because the operator relies on the setting.
    static func idle<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>,
        because reason: String
    ) -> SettingsError {
        SettingsError("\(Settings[setting].name.flag) is given, but \(reason)")
    }
}
