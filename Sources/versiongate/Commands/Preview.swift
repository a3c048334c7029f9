import ArgumentParser
import GateControl
import GatePolicy
import GateSystem

/// Signs a header field that gives a tester's app a chosen decision.
struct PreviewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract:
            "Prints a signed header that gives a tester's app a chosen decision, regardless of the rules.",
        discussion: """
            The app, or a proxy on the tester's machine, adds the header to its requests. Other \
            clients and the rules are not affected. A gate with the same secret file \
            (--preview-secret-file) accepts the header until it expires.
            """
    )

    @Option(help: "The decision for the tester: recommend, require, brownout or maintenance.")
    var decision: Preview.Kind = .require
    @Option(
        name: .customLong("for"),
        help: "The lifetime of the header, such as 90m, 1h or 7d; at most 30d."
    )
    var length = "1h"
    @Option(help: "The file with the secret (default: VERSIONGATE_PREVIEW_SECRET_FILE).")
    var secretFile: String?

    func run() throws {
        let path = try PassCommand.secretPath(self.secretFile)
        let until = try CommandTime.end(
            ofLifetime: self.length,
            from: SystemClock.now(),
            flag: "--for"
        )
        let preview = Preview(kind: self.decision, until: until)
        do throws(PreviewSeal.Failure) {
            let seal = try PreviewSeal(path: path)
            print("\(Preview.fieldName): \(seal.field(for: preview))")
        } catch {
            try StandardError.fail("versiongate: \(path): \(error)")
        }
    }
}

extension Preview.Kind: ExpressibleByArgument {}
