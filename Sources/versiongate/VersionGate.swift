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
            Schema.self, ListSettings.self, Reload.self, Healthcheck.self, CensusCommand.self,
            ImpactCommand.self, FloorCommand.self, SunsetCommand.self, BlockedCommand.self,
            BreakerCommand.self,
            Undo.self, PreviewCommand.self, DemoBackend.self, DemoTraffic.self, Version.self,
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

/// A SIGHUP that comes before it is trapped would end the process.
enum EarlyHangups {
    /// Ignores SIGHUP until it is trapped: whatever it asks to read again is read only then.
    static func ignore() {
        _ = signal(SIGHUP, SIG_IGN)
    }
}

/// Descriptors 0, 1 and 2, which whoever starts the gate may have closed.
enum StandardDescriptors {
    /// Opens those that are closed on `/dev/null`: the next file or socket would get their number, and
    /// with it all that is written to standard error.
    static func open() {
        while true {
            // The lowest number that is free.
            let descriptor = unsafe Glibc.open("/dev/null", O_RDWR)
            guard descriptor > STDERR_FILENO else {
                if descriptor < 0 { return }
                continue
            }
            _ = close(descriptor)
            return
        }
    }
}
