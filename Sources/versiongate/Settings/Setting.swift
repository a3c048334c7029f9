/// Something that can be set about `versiongate serve`: a row of the table `Settings`.
struct Setting<Value: Sendable>: Sendable {
    let name: SettingName
    let form: SettingForm<Value>
    /// What is read in its place if nobody says anything; `nil`: nothing is.
    let defaultText: String?
    /// What happens then without a text in its place, in words for people.
    let absence: String?
    /// What it is, for people, without a full stop.
    let meaning: String

    init(
        _ key: String,
        _ form: SettingForm<Value>,
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

/// A row of any kind.
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

/// What a setting is called.
struct SettingName: Hashable, Sendable {
    /// In the configuration file; the property of its option has the same name.
    let key: String

    /// On the command line: the key in kebab-case.
    var flag: String {
        "--" + self.words.joined(separator: "-")
    }

    /// In the environment: the key in upper snake case.
    var environmentVariable: String {
        "VERSIONGATE_" + self.words.joined(separator: "_").uppercased()
    }

    private var words: [String] {
        self.key.reduce(into: [""]) { words, character in
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
    }
}
