import ArgumentParser
import Glibc

/// The command-line interface; each command has its own file in `Commands`.
@main
struct VersionGate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versiongate",
        abstract:
            "A reverse proxy that denies outdated app builds with 426 and forwards other requests.",
        version: Release.description,
        subcommands: [
            Serve.self, Init.self, Check.self, Test.self, Explain.self, Feed.self, Diff.self,
            Schema.self, ListSettings.self, Reload.self, Healthcheck.self, CensusCommand.self,
            ImpactCommand.self, FloorCommand.self, SunsetCommand.self, BlockedCommand.self,
            BreakerCommand.self, Undo.self, PreviewCommand.self, PassCommand.self,
            DemoBackend.self, DemoTraffic.self, DemoHistory.self, Doctor.self, Version.self,
        ]
    )

    static func main() async {
        // This call must precede all calls that open a descriptor or write an error.
        self.openStandardDescriptors()
        // Swift reads the arguments from /proc. Without it, a command would print the help and exit
        // with 0.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.write("versiongate: cannot read the arguments: /proc is not mounted")
            _exit(EXIT_FAILURE)
        }
        let isGate = CommandLine.arguments.dropFirst().first == "serve"
        // A SIGHUP that arrives before the signal is trapped would end the process. Ignoring the signal has no effect
        // on the rules, because the gate has not read the files yet.
        if isGate { _ = signal(SIGHUP, SIG_IGN) }
        await self.main(nil)
        // The `exit` handlers would destroy state that other threads still use, such as that of OpenSSL during a fetch,
        // and the gate could crash during a clean shutdown. No output is lost: the log is not buffered by
        // the C library.
        if isGate { _exit(EXIT_SUCCESS) }
    }

    /// Opens `/dev/null` on each of the descriptors 0, 1 and 2 that is closed at startup.
    ///
    /// Otherwise, the next file or socket could get the descriptor of standard error and receive log
    /// lines.
    private static func openStandardDescriptors() {
        var descriptor: Int32
        // Each call to `open` returns the lowest free descriptor.
        repeat {
            descriptor = unsafe open("/dev/null", O_RDWR)
        } while 0...STDERR_FILENO ~= descriptor
        if descriptor > STDERR_FILENO { _ = close(descriptor) }
    }
}
