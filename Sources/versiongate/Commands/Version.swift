import ArgumentParser

struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Prints the version.")

    func run() {
        print("versiongate \(Release.version)")
    }
}
