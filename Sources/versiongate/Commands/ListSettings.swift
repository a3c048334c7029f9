import ArgumentParser

/// Prints what can be set about `serve`.
struct ListSettings: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Prints what can be set about serve, with defaults, as a table in Markdown."
    )

    func run() {
        print(Settings.markdown, terminator: "")
    }
}
