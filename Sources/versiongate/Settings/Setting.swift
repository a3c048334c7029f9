import FoundationEssentials

/// A setting of `versiongate serve`: a row in the table `Settings`.
struct Setting<Value: Sendable>: Sendable {
    let name: SettingName
    let form: SettingFormat<Value>
    /// The default value as a string; `nil` if there is no default.
    let defaultText: String?
    /// The effect of omitting a setting without a default, for help and docs.
    let absence: String?
    /// The description for help and docs, without a final period.
    let meaning: String

    init(
        _ key: String,
        _ form: SettingFormat<Value>,
        default defaultText: String? = nil,
        absence: String? = nil,
        _ meaning: String
    ) {
        self.name = SettingName(key: key)
        self.form = form
        self.defaultText = defaultText
        self.absence = absence
        self.meaning = meaning
    }
}

/// A setting with a value of any type.
protocol SettingRow: Sendable {
    var name: SettingName { get }
    var expected: String { get }
    var defaultText: String? { get }
    var absence: String? { get }
    var meaning: String { get }
}

extension Setting: SettingRow {
    var expected: String { self.form.expected }
}

/// The name of a setting, spelled as a key, a flag and an environment variable.
struct SettingName: Hashable, Sendable {
    /// The key in the configuration file, which is also the name of the option's property.
    let key: String

    /// The flag: the key in kebab-case.
    var flag: String {
        "--" + self.words.joined(separator: "-")
    }

    /// The environment variable: the key in upper snake case.
    var environmentVariable: String {
        "VERSIONGATE_" + self.words.joined(separator: "_").uppercased()
    }

    /// The value of the environment variable; `nil` if it is not set.
    var environmentValue: String? {
        ProcessInfo.processInfo.environment[self.environmentVariable]
    }

    private var words: [String] {
        self.key.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }
}
