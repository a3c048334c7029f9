import ArgumentParser
import GateControl
import GatePolicy
import GateSystem

/// Signs a header field that lets a client pass even if the rules deny its requests.
struct PassCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pass",
        abstract:
            "Prints a signed header that lets a client pass even if the rules deny its requests.",
        discussion: """
            Use passes for App Review, test devices and support. The client, or a proxy that it \
            uses, adds the header to its requests. A gate with the same secret file \
            (--preview-secret-file) accepts the header until it expires, or until its ID is listed \
            under revokedPasses in the rules. The ID and the expiry are printed to standard error.
            """
    )

    @Option(
        name: .customLong("for"),
        help: "The lifetime of the pass, such as 90m, 48h or 7d; at most 30d."
    )
    var length: String
    @Option(help: "The device ID that the client must send (default: any).")
    var device: String?
    @Option(help: "The app ID that the client must send (default: any).")
    var app: String?
    @Option(help: "The build that the client must send (default: any).")
    var build: String?
    @Flag(help: "Make the pass valid for a single request only.")
    var once = false
    @Option(help: "The file with the secret (default: VERSIONGATE_PREVIEW_SECRET_FILE).")
    var secretFile: String?

    func run() throws {
        let path = try Self.secretPath(self.secretFile)
        let now = SystemClock.now()
        let until = try CommandTime.end(ofLifetime: self.length, from: now, flag: "--for")
        for case (let flag, let name?) in [("--device", self.device), ("--app", self.app)]
        where !Pass.canState(name) {
            try StandardError.fail(
                "\(flag) '\(name)': expected 1 to 256 bytes without commas, control characters, "
                    + "or leading or trailing whitespace"
            )
        }
        let build = try self.build.map { text in
            try CommandOption.parse(text, flag: "--build", BuildNumber.init(parsing:))
        }
        do throws(PassSeal.Failure) {
            let seal = try PassSeal(path: path)
            let id = Pass.ID.random()
            let pass = Pass(
                id: id,
                issued: now,
                until: until,
                app: self.app,
                build: build,
                deviceDigest: self.device.map { seal.digest(ofDevice: $0, for: id) },
                isSingleUse: self.once
            )
            print("\(Pass.fieldName): \(seal.field(for: pass))")
            StandardError.write("pass \(id), valid until \(until)")
        } catch {
            try StandardError.fail("versiongate: \(path): \(error)")
        }
    }

    /// Returns the path of the secret file; prints an error and exits if neither the option nor the
    /// environment specifies the path.
    static func secretPath(_ option: String?) throws -> String {
        guard let path = option ?? Settings[\.previewSecretFile].name.environmentValue else {
            try StandardError.fail(
                "versiongate: --secret-file is required: pass the path of the secret file"
            )
        }
        return path
    }
}
