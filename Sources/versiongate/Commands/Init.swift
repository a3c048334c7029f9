import ArgumentParser
import FoundationEssentials
import GateRules

/// Writes a rules file to begin with.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a commented rules file for one app on iOS and Android."
    )

    @Argument(help: "Where to write the file.")
    var path = "./rules.yaml"
    @Option(help: "The package name of the app, for its link in Google Play.")
    var appID: String?
    @Option(help: "The link to the app in the App Store.")
    var iosURL: String?
    @Option(help: "The link to the app in the store for Android.")
    var androidURL: String?
    @Option(help: "The language of the words, such as en or zh-Hant (default: en).")
    var language: String?
    @Flag(help: "Replace a file that is there.")
    var force = false

    /// The schema's place in packages.
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
            StandardError.write("versiongate: \(error)")
            throw ExitCode.failure
        }
        do {
            // Asking first whether the file is there would lose one that appears meanwhile.
            try Data(template.text.utf8)
                .write(
                    to: URL(filePath: self.path),
                    options: self.force ? [.atomic] : [.withoutOverwriting]
                )
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            StandardError.write("\(self.path): is there already; --force replaces it")
            throw ExitCode.failure
        } catch {
            StandardError.write("\(self.path): cannot be written: \(error)")
            throw ExitCode.failure
        }
        print("\(self.path): written; check it with: versiongate check --strict \(self.path)")
        if !hasSchema {
            print("for an editor, beside it: versiongate schema > rules.schema.json")
        }
    }
}
