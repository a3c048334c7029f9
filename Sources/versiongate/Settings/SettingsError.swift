/// A setting that is missing or cannot be understood.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A setting that must be there; `misspelt` is a variable in the environment that was probably meant.
    static func missing<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>,
        misspelt: String? = nil
    ) -> SettingsError {
        let name = Settings[setting].name
        let variable = name.environmentVariable
        let hint = misspelt.map { "; \($0) is in the environment: is it meant for \(variable)?" }
        return SettingsError(
            "\(name.flag) is missing: give the flag, \(variable), "
                + "or '\(name.key)' in the configuration file\(hint ?? "")"
        )
    }

    /// A setting that has no effect, since another one is not as it needs.
    ///
    /// Who gives it believes in a check that would never be made.
    static func idle<Value>(
        _ setting: KeyPath<Settings, Setting<Value>>,
        because reason: String
    ) -> SettingsError {
        SettingsError("\(Settings[setting].name.flag) is given, but \(reason)")
    }
}
