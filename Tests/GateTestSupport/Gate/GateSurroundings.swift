import Foundation

/// The environment of a gate process, in addition to its arguments.
package struct GateSurroundings: Sendable {
    /// Commands for a shell that then executes the gate.
    private var preparation: String?
    private var environment: [String: String] = [:]
    /// A Python program that then executes the gate.
    private var program: String?
    private var socket: FileHandle?

    /// The default environment.
    package static let usual = GateSurroundings()

    /// Returns surroundings with a limit on open files that the gate cannot raise.
    package static func descriptors(_ count: Int) -> GateSurroundings {
        GateSurroundings(preparation: "ulimit -n \(count)")
    }

    package static func environment(_ environment: [String: String]) -> GateSurroundings {
        GateSurroundings(environment: environment)
    }

    /// Surroundings in which a SIGHUP is pending when the gate starts.
    package static let pendingHangup = GateSurroundings(
        program: """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
            os.kill(os.getpid(), signal.SIGHUP)
            os.execv(sys.argv[1], sys.argv[1:])
            """
    )

    /// Returns surroundings with a listening socket, passed as systemd does.
    package static func socket(_ descriptor: Int32, name: String? = nil) -> GateSurroundings {
        // The shell has the process ID that the gate will have.
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
        if let program = self.program {
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", program, executable.path] + arguments
        }
        let inherited = ProcessInfo.processInfo.environment
        process.environment = inherited.merging(self.environment) { $1 }
        process.standardInput = self.socket ?? FileHandle.nullDevice
    }
}
