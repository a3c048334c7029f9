import GateRules

/// The origin of the rules.
enum RulesOrigin: Hashable {
    /// A rules file or folder.
    case files(path: String)
    /// The file to which a gate publishes its active rules.
    case gate(path: String)

    private static let hint =
        "write 'rules: PATH' with the path of the rules file, such as /etc/versiongate/rules.yaml, "
        + "or 'published: PATH' with the file that a gate writes (--publish-rules)"

    /// Parses the settings in `filter_config`, which Envoy passes as YAML (a string) or JSON (a struct).
    ///
    /// - Throws: The error to log if the settings are invalid.
    init(settings bytes: [UInt8]) throws(RulesFileError) {
        let keys = ["rules", "published"]
        let entries = try SettingsFile.moduleEntries(in: bytes, keys: keys, hint: Self.hint)
        switch (entries["rules"]?.text, entries["published"]?.text) {
        case (let path?, nil) where !path.isEmpty: self = .files(path: path)
        case (nil, let path?) where !path.isEmpty: self = .gate(path: path)
        default: throw RulesFileError(file: SettingsFile.moduleName, message: Self.hint)
        }
    }

    var path: String {
        switch self {
        case .files(let path), .gate(let path): path
        }
    }
}

extension SettingsFile {
    /// The name of the settings in messages.
    static let moduleName = "filter_config"

    /// Returns the settings by their keys.
    ///
    /// - Throws: The error to log if a key is unknown or occurs twice.
    static func moduleEntries(
        in bytes: [UInt8],
        keys: [String],
        hint: String
    ) throws(RulesFileError) -> [String: Entry] {
        guard bytes.contains(where: { $0 > 0x20 }) else {
            throw RulesFileError(file: Self.moduleName, message: hint)
        }
        // Envoy 1.38 passes the struct of a route as a serialized protobuf message, in which these bytes are tags.
        guard bytes.first != 0x0A || !bytes.contains(0x12) else {
            throw RulesFileError(
                file: Self.moduleName,
                message: "serialized messages are not supported; "
                    + "use a google.protobuf.StringValue, and \(hint)"
            )
        }
        var entries: [String: Entry] = [:]
        for entry in try SettingsFile(name: Self.moduleName, bytes: bytes).entries {
            guard keys.contains(entry.key) else {
                throw entry.remark("unknown setting '\(entry.key)'; \(hint)")
            }
            guard entries.updateValue(entry, forKey: entry.key) == nil else {
                throw entry.remark("'\(entry.key)' occurs twice")
            }
        }
        return entries
    }
}
