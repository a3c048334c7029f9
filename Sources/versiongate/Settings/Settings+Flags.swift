import ArgumentParser

extension ArgumentHelp {
    /// Returns the help for an option, with its default.
    static func of<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> ArgumentHelp {
        let row = Settings[setting]
        let otherwise =
            row.defaultText.map { " (default \($0))" } ?? row.absence.map { " (default: \($0))" }
        return ArgumentHelp("\(row.meaning)\(otherwise ?? "").")
    }

    /// Returns the help for a flag, which can only be set to `true`.
    static func of(flag setting: KeyPath<Settings, Setting<Bool>>) -> ArgumentHelp {
        ArgumentHelp("\(Settings[setting].meaning).")
    }
}

extension ParsableArguments {
    /// The values of the options that belong to settings.
    ///
    /// The property of such an option is named after the key of the setting.
    var flags: [SettingName: String] {
        let keys = Set(Settings.rows.map(\.name.key))
        var texts: [SettingName: String] = [:]
        for child in Mirror(reflecting: self).children {
            if let group = child.value as? OptionGroup<FleetFlags> {
                texts.merge(group.wrappedValue.flags) { $1 }
            }
            // The label is the property's name with the underscore of the property wrapper.
            guard let key = child.label?.dropFirst(), keys.contains(String(key)) else { continue }
            let name = SettingName(key: String(key))
            switch child.value {
            case let option as Option<String?>: texts[name] = option.wrappedValue
            case let flag as Flag<Bool>: texts[name] = flag.wrappedValue ? "true" : nil
            // Without the precondition, the option would be ignored silently.
            default: preconditionFailure("the option \(key) is neither a String? nor a flag")
            }
        }
        return texts
    }
}

/// The flags for the census store shared by a fleet.
struct FleetFlags: ParsableArguments {
    @Option(help: .of(\.censusKeyFile)) var censusKeyFile: String?
    @Option(help: .of(\.censusStore)) var censusStore: String?
    @Option(help: .of(\.censusStorePasswordFile)) var censusStorePasswordFile: String?
    @Option(help: .of(\.censusStoreCA)) var censusStoreCa: String?
    @Option(help: .of(\.censusStoreCertificate)) var censusStoreCertificate: String?
    @Option(help: .of(\.censusStoreKey)) var censusStoreKey: String?
}
