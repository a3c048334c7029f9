import ArgumentParser

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the version, the commit and the build."
    )

    func run() {
        print(Release.description)
    }
}
