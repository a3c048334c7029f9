package import Foundation
import Glibc

/// Runs a tool such as curl to its end and returns its output.
package enum ToolProcess {
    package struct Result: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String
    }

    /// The folders with tools: first the system's, then those in PATH.
    private static var folders: [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Daemons are installed in sbin, which is often missing from an ordinary user's path.
        return ["/usr/bin", "/bin"] + path.split(separator: ":").map(String.init)
            + ["/usr/local/sbin", "/usr/sbin"]
    }

    /// The Python that `dev/install-python.sh` installs, with the packages that tests need.
    ///
    /// The path is a link. If it were resolved, as by `standardizedFileURL`, that Python would lack the packages.
    private static let python = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.build/python/bin/python3").standardized.path

    /// Returns whether a tool is installed.
    ///
    /// A test whose tool is missing is skipped, and `make test` counts that as a failure.
    package static func isInstalled(_ name: String) -> Bool {
        (try? self.locate(name)) != nil
    }

    package static func locate(_ name: String) throws -> URL {
        let own = name == "python3" ? [self.python] : []
        let candidates = own + self.folders.map { "\($0)/\(name)" }
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let found else { throw HarnessError("\(name) is not installed") }
        return URL(fileURLWithPath: found)
    }

    /// Runs a tool.
    ///
    /// At the time limit, the tool is killed and the test fails.
    package static func run(
        _ name: String,
        _ arguments: [String],
        within limit: Duration = .seconds(60) * GateExecutable.slowdown
    ) throws -> Result {
        try self.run(executable: self.locate(name), arguments, within: limit)
    }

    /// Runs a command of the executable under test, such as `check`, to its end.
    package static func versiongate(_ arguments: String...) throws -> Result {
        try self.versiongate(arguments)
    }

    package static func versiongate(_ arguments: [String]) throws -> Result {
        try self.run(executable: GateExecutable.locate(), arguments)
    }

    /// Runs a program that is not one of the system's tools.
    package static func run(
        executable: URL,
        _ arguments: [String],
        within limit: Duration = .seconds(60) * GateExecutable.slowdown
    ) throws -> Result {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let status = Watched<Int32?>(nil)
        process.terminationHandler = { process in
            let code = process.terminationStatus
            status.update { $0 = code }
        }
        let (output, errors) = (OutputCollector(), OutputCollector())
        process.standardOutput = output.pipe
        process.standardError = errors.pipe
        try process.start()
        output.start()
        errors.start()
        do {
            let code = try status.wait(
                for: "\(executable.lastPathComponent) to end",
                by: .after(limit)
            ) { $0 }
            return Result(status: code, output: try output.text(), errors: try errors.text())
        } catch {
            _ = kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }
}
