import Foundation

/// What whoever starts the gate gives it besides its arguments.
package struct GateSurroundings: Sendable {
    /// Commands of a shell that then becomes the gate.
    private var preparation: String?
    private var environment: [String: String] = [:]
    private var socket: FileHandle?

    /// Nothing.
    package static let usual = GateSurroundings()

    /// A limit of open files, which the gate cannot raise.
    package static func descriptors(_ count: Int) -> GateSurroundings {
        GateSurroundings(preparation: "ulimit -n \(count)")
    }

    package static func environment(_ environment: [String: String]) -> GateSurroundings {
        GateSurroundings(environment: environment)
    }

    /// A listening socket, handed over as systemd does it.
    package static func socket(_ descriptor: Int32, name: String? = nil) -> GateSurroundings {
        // The shell has the process identifier that the gate will have.
        GateSurroundings(
            preparation: "exec 3<&0 </dev/null; export LISTEN_FDS=1 LISTEN_PID=$$"
                + (name.map { " LISTEN_FDNAMES=\($0)" } ?? ""),
            socket: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        )
    }

    func prepare(_ process: Process, toRun executable: URL, _ arguments: [String]) {
        process.executableURL = executable
        process.arguments = arguments
        if let preparation = self.preparation {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "\(preparation); exec \"$0\" \"$@\"", executable.path] + arguments
        }
        let inherited = ProcessInfo.processInfo.environment
        process.environment = inherited.merging(self.environment) { $1 }
        process.standardInput = self.socket ?? FileHandle.nullDevice
    }
}
