import ArgumentParser

/// Prints what can be set about `serve`.
struct ListSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Prints what can be set about serve, with defaults, as a table in Markdown."
    )

    func run() {
        print(Self.markdown, terminator: "")
    }

    /// The settings as a table in Markdown.
    private static var markdown: String {
        Settings.rows.reduce(
            into: "| flag | what it is | default | takes |\n| --- | --- | --- | --- |\n"
        ) {
            let otherwise = $1.defaultText.map { "`\($0)`" } ?? $1.absence ?? ""
            $0 += "| `\($1.name.flag)` | \($1.meaning) | \(otherwise) | \($1.expected) |\n"
        }
    }
}
