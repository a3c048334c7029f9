import ArgumentParser

/// The flags about what the gates of a fleet share.
struct FleetFlags: ParsableArguments {
    @Option(help: "File with the key for device ids, 32 hexadecimal digits (default: its own).")
    var censusKeyFile: String?
    @Option(
        help: """
            Redis or Valkey that merges the devices of all gates, redis://HOST, or rediss://HOST for TLS \
            (default: none).
            """
    )
    var censusStore: String?
    @Option(help: "File with its password.")
    var censusStorePasswordFile: String?
    @Option(help: "PEM file: who may vouch for it, besides those whom the system trusts.")
    var censusStoreCa: String?
    @Option(help: "PEM file: the certificate that it is shown, if it wants to see one.")
    var censusStoreCertificate: String?
    @Option(help: "PEM file: the key of that certificate.")
    var censusStoreKey: String?
}

extension ParsableArguments {
    /// What the command line says, by setting: an option has the name of its setting.
    var flags: [Setting: String] {
        var texts: [Setting: String] = [:]
        for child in Mirror(reflecting: self).children {
            if let group = child.value as? OptionGroup<FleetFlags> {
                texts.merge(group.wrappedValue.flags) { $1 }
            }
            // The name of the property, with the underscore of its wrapper.
            guard let name = child.label?.dropFirst(), let setting = Setting(rawValue: String(name))
            else { continue }
            switch child.value {
            case let option as Option<String?>: texts[setting] = option.wrappedValue
            case let flag as Flag<Bool>: texts[setting] = flag.wrappedValue ? "true" : nil
            default: break
            }
        }
        return texts
    }
}
