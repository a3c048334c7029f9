/// A setting that is missing or cannot be understood.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// A setting that must be there; `misspelt` is a variable in the environment that was probably meant.
    static func missing(_ setting: Setting, misspelt: String? = nil) -> SettingsError {
        let variable = setting.environmentVariable
        let hint = misspelt.map { "; \($0) is in the environment: is it meant for \(variable)?" }
        return SettingsError(
            "\(setting.flag) is missing: give the flag, \(variable), "
                + "or '\(setting.rawValue)' in the configuration file\(hint ?? "")"
        )
    }

    static func malformed(
        _ setting: Setting,
        _ text: String,
        expected: String,
        hint: String
    ) -> SettingsError {
        SettingsError("\(setting.flag) '\(text)': expected \(expected)\(hint)")
    }

    static func needsDevices(_ setting: Setting) -> SettingsError {
        SettingsError("\(setting.flag) is given, but \(Setting.censusDevices.flag) is off")
    }

    static func needsSecureStore(_ setting: Setting) -> SettingsError {
        SettingsError("\(setting.flag) is given, but \(Setting.censusStore.flag) is not rediss://")
    }

    static func needsSecureUpstream(_ setting: Setting) -> SettingsError {
        SettingsError("\(setting.flag) is given, but no \(Setting.upstream.flag) is https://")
    }
}
