import ArgumentParser
import FoundationEssentials
import GateProxy
import GateRules

/// Writes an initial rules file.
struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a commented rules file for one app on iOS and Android.",
        discussion: """
            With --beside, the command prints the configuration for a gateway that sends the gate \
            an authorization request for each client request. With --into, it writes the \
            configuration to a directory instead. The configuration uses TLS on port 8443 with \
            cert.pem and key.pem; see docs/gateways.
            """
    )

    @Argument(help: "The path of the new file.")
    var path = "./rules.yaml"
    @Option(help: "The package name of the app, for its Google Play URL.")
    var appID: String?
    @Option(help: "The URL of the app in the App Store.")
    var iosURL: String?
    @Option(help: "The URL of the app in Google Play or another Android app store.")
    var androidURL: String?
    @Option(help: "The language of the notice texts, such as en or zh-Hant (default: en).")
    var language: String?
    @Flag(help: "Replace an existing file.")
    var force = false
    @Option(help: "Print the configuration for a gateway.")
    var beside: GatewayConfiguration?
    @Option(help: "With --beside, the directory to write the files to.")
    var into: String?
    @Option(help: "With --beside, the gate's address for gateways (--decide-listen).")
    var gate = GatewayConfiguration.Addresses().gate
    @Option(help: "With --beside, the address of the backend.")
    var backend = GatewayConfiguration.Addresses().backend
    @Option(help: "With --beside, the gateway's address for HTTP clients.")
    var listen = GatewayConfiguration.Addresses().listen

    /// The path of the schema in packaged installations.
    private static let packagedSchema = "/usr/share/versiongate/rules.schema.json"

    func run() throws {
        if let beside { return try self.writeConfiguration(of: beside) }
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
        try self.write(template.text, to: self.path)
        print("\(self.path): written; check it with: versiongate check --strict \(self.path)")
        if !hasSchema {
            print("for editors, create the schema: versiongate schema > rules.schema.json")
        }
    }

    private func write(_ text: String, to path: String) throws {
        do {
            // A check before the write would not protect a file created between the check and the write.
            let options: Data.WritingOptions = self.force ? .atomic : .withoutOverwriting
            try Data(text.utf8).write(to: URL(filePath: path), options: options)
        } catch let error as CocoaError where error.code == .fileWriteFileExists {
            try StandardError.fail("\(path): the file exists; use --force to replace it")
        } catch {
            try StandardError.fail("\(path): cannot be written: \(error)")
        }
    }

    private func writeConfiguration(of gateway: GatewayConfiguration) throws {
        for (name, value) in [
            ("--gate", self.gate), ("--backend", self.backend), ("--listen", self.listen),
        ] where Endpoint(value) == nil {
            try StandardError.fail("versiongate: \(name) '\(value)': expected HOST:PORT")
        }
        let addresses = GatewayConfiguration.Addresses(
            gate: self.gate,
            backend: self.backend,
            listen: self.listen
        )
        guard let folder = self.into else {
            return print(gateway.text(addresses), terminator: "")
        }
        for (name, text) in gateway.files(addresses) {
            try self.write(text, to: URL(filePath: folder).appending(path: name).path)
            print("\(folder)/\(name): written")
        }
    }
}
