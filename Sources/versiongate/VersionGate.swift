import ArgumentParser
import Glibc

/// The command-line interface; each command has its own file in `Commands`.
@main
struct VersionGate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versiongate",
        abstract: "A reverse proxy that denies outdated app builds with 426 and forwards the rest.",
        version: Release.description,
        subcommands: [
            Serve.self, Init.self, Check.self, Test.self, Explain.self, Feed.self, Diff.self,
            Schema.self, ListSettings.self, Reload.self, Healthcheck.self, CensusCommand.self,
            ImpactCommand.self, FloorCommand.self, SunsetCommand.self, BlockedCommand.self,
            BreakerCommand.self,
            Undo.self, PreviewCommand.self, PassCommand.self, DemoBackend.self, DemoTraffic.self,
            DemoHistory.self, Doctor.self,
            Version.self,
        ]
    )

    static func main() async {
        // Must precede all calls that open a descriptor or write an error.
        StandardDescriptors.open()
        // Swift reads the arguments from /proc. Without it, a command would print the help and exit
        // with 0.
        guard !CommandLine.arguments.isEmpty else {
            StandardError.write("versiongate: cannot read the arguments: /proc is not mounted")
            _exit(EXIT_FAILURE)
        }
        let isGate = CommandLine.arguments.dropFirst().first == "serve"
        if isGate { EarlyHangups.ignore() }
        await self.main(nil)
        // The `exit` handlers would destroy state that other threads still use, such as OpenSSL in a fetch that has
        // just started, and the gate could crash during a clean shutdown. No output is lost: the log is not buffered by
        // the C library.
        if isGate { _exit(EXIT_SUCCESS) }
    }
}

/// Protects against a SIGHUP that arrives before it is trapped, which would end the process.
enum EarlyHangups {
    /// Ignores SIGHUP until it is trapped; the files it would reload are read later anyway.
    static func ignore() {
        _ = signal(SIGHUP, SIG_IGN)
    }
}

/// The descriptors 0, 1 and 2, which may be closed when the gate is started.
enum StandardDescriptors {
    /// Opens closed standard descriptors on `/dev/null`.
    ///
    /// Otherwise the next file or socket could get the descriptor of standard error, and receive log
    /// lines.
    static func open() {
        while true {
            // This gets the lowest free descriptor.
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
