import ArgumentParser
import Glibc

/// The command line: one file per command in `Commands`.
@main
struct VersionGate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versiongate",
        abstract: "A reverse proxy that answers outdated app builds with 426 and passes the rest.",
        version: Release.description,
        subcommands: [
            Serve.self, Init.self, Check.self, Test.self, Explain.self, Feed.self, Diff.self,
            Schema.self, Reload.self, Healthcheck.self, CensusCommand.self, ImpactCommand.self,
            DemoBackend.self,
            Version.self,
        ]
    )

    static func main() async {
        // Before anything else can be opened, or go wrong.
        StandardDescriptors.open()
        // Swift reads them from there; without, every command would be no command, and exit with 0.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.write("versiongate: /proc is not mounted, and the arguments are in it")
            _exit(EXIT_FAILURE)
        }
        let isGate = CommandLine.arguments.dropFirst().first == "serve"
        if isGate { EarlyHangups.ignore() }
        await self.main(nil)
        // The handlers of `exit` would take apart what other threads still use, such as OpenSSL below a
        // fetch that has just begun: a gate that ends in good order must not crash on its way out. It
        // has no output left, since it writes its log without a buffer of the C library.
        if isGate { _exit(EXIT_SUCCESS) }
    }
}
