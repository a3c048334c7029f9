import ArgumentParser

/// Prints the settings of `serve`.
struct ListSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Prints the settings of serve with their defaults as a Markdown table."
    )

    func run() {
        print(Self.markdown, terminator: "")
    }

    /// The settings as a Markdown table.
    private static var markdown: String {
        Settings.rows.reduce(
            into: "| flag | description | default | values |\n| --- | --- | --- | --- |\n"
        ) {
            let otherwise = $1.defaultText.map { "`\($0)`" } ?? $1.absence ?? ""
            $0 += "| `\($1.name.flag)` | \($1.meaning) | \(otherwise) | \($1.expected) |\n"
        }
    }
}
