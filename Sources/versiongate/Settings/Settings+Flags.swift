import ArgumentParser

extension ArgumentHelp {
    /// What the option of a setting is, and what happens without it.
    static func of<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> ArgumentHelp {
        let row = Settings[setting]
        let otherwise =
            row.defaultText.map { " (default \($0))" } ?? row.absence.map { " (default: \($0))" }
        return ArgumentHelp("\(row.meaning)\(otherwise ?? "").")
    }

    /// What the flag of a setting is, which says `true` and nothing else.
    static func of(flag setting: KeyPath<Settings, Setting<Bool>>) -> ArgumentHelp {
        ArgumentHelp("\(Settings[setting].meaning).")
    }
}

extension ParsableArguments {
    /// The texts of the options that are settings.
    ///
    /// Such an option is a property with the key of its setting as its name.
    var flags: [SettingName: String] {
        let keys = Set(Settings.rows.map(\.name.key))
        var texts: [SettingName: String] = [:]
        for child in Mirror(reflecting: self).children {
            if let group = child.value as? OptionGroup<FleetFlags> {
                texts.merge(group.wrappedValue.flags) { $1 }
            }
            // The name of the property, with the underscore of its wrapper.
            guard let key = child.label?.dropFirst(), keys.contains(String(key)) else { continue }
            let name = SettingName(key: String(key))
            switch child.value {
            case let option as Option<String?>: texts[name] = option.wrappedValue
            case let flag as Flag<Bool>: texts[name] = flag.wrappedValue ? "true" : nil
            // It would be passed over in silence.
            default: preconditionFailure("the option of \(key) is neither a text nor a flag")
            }
        }
        return texts
    }
}

/// The flags about what the gates of a fleet share.
struct FleetFlags: ParsableArguments {
    @Option(help: .of(\.censusKeyFile)) var censusKeyFile: String?
    @Option(help: .of(\.censusStore)) var censusStore: String?
    @Option(help: .of(\.censusStorePasswordFile)) var censusStorePasswordFile: String?
    @Option(help: .of(\.censusStoreCA)) var censusStoreCa: String?
    @Option(help: .of(\.censusStoreCertificate)) var censusStoreCertificate: String?
    @Option(help: .of(\.censusStoreKey)) var censusStoreKey: String?
}
