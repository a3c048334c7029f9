import ArgumentParser
import FoundationEssentials
import GateRules

/// Writes an initial rules file.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a commented rules file for one app on iOS and Android."
    )

    @Argument(help: "The path of the new file.")
    var path = "./rules.yaml"
    @Option(help: "The package name of the app, for its Google Play URL.")
    var appID: String?
    @Option(help: "The URL of the app in the App Store.")
    var iosURL: String?
    @Option(help: "The URL of the app in the Android store.")
    var androidURL: String?
    @Option(help: "The language of the notice texts, such as en or zh-Hant (default: en).")
    var language: String?
    @Flag(help: "Replace an existing file.")
    var force = false

    /// The path of the schema in packaged installations.
    private static let packagedSchema = "/usr/share/versiongate/rules.schema.json"

    func run() throws {
        let hasSchema = FileManager.default.fileExists(atPath: Self.packagedSchema)
        let template: RulesTemplate
        do {
            template = try RulesTemplate(
                appID: self.appID,
                iosURL: self.iosURL,
                androidURL: self.androidURL,
                language: self.language,
                schema: hasSchema ? Self.packagedSchema : "./rules.schema.json"
            )
        } catch {
            try StandardError.fail("versiongate: \(error)")
        }
        do {
            // With a check before the write, a file created in between would be overwritten.
            try Data(template.text.utf8)
                .write(
                    to: URL(filePath: self.path),
                    options: self.force ? [.atomic] : [.withoutOverwriting]
                )
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            try StandardError.fail("\(self.path): the file exists; use --force to replace it")
        } catch {
            try StandardError.fail("\(self.path): cannot be written: \(error)")
        }
        print("\(self.path): written; check it with: versiongate check --strict \(self.path)")
        if !hasSchema {
            print("for editors, create the schema: versiongate schema > rules.schema.json")
        }
    }
}
