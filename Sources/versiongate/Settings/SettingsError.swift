/// A setting that is missing or cannot be understood.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static func missing(_ setting: Setting) -> SettingsError {
        SettingsError(
            "\(setting.flag) is missing: give the flag, \(setting.environmentVariable), "
                + "or '\(setting.rawValue)' in the configuration file"
        )
    }

    static func malformed(_ setting: Setting, _ text: String, expected: String) -> SettingsError {
        SettingsError("\(setting.flag) '\(text)': expected \(expected)")
    }

    static func needsSecureUpstream(_ setting: Setting) -> SettingsError {
        SettingsError("\(setting.flag) is given, but no \(Setting.upstream.flag) is https://")
    }
}
