package import Foundation
import Glibc

/// Another proxy in a process of its own, which listens on a given port.
package final class PeerProcess: Sendable {
    package let port: UInt16
    private let process: Process
    private let exit: Watched<Bool>

    /// Starts the proxy and waits until it listens.
    ///
    /// Its user data is stored in the folder.
    package init(
        executable: URL,
        arguments: [String],
        folder: URL,
        port: UInt16
    ) throws {
        let process = Process()
        let exit = Watched(false)
        let homes = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map { ($0, folder.path) }
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment
            .merging(homes) { _, home in home }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { _ in exit.update { $0 = true } }
        (self.port, self.process, self.exit) = (port, process, exit)
        try process.start()
        do {
            try self.waitUntilListening()
        } catch {
            self.stop()
            throw error
        }
    }

    deinit {
        self.stop()
    }

    /// Ends the proxy with SIGTERM, and with SIGKILL if it does not exit.
    package func stop() {
        for signal in [SIGTERM, SIGKILL] where self.process.isRunning {
            _ = kill(self.process.processIdentifier, signal)
            _ = try? self.exit.wait(for: "the peer to end", by: .after(.seconds(5))) {
                $0 ? true : nil
            }
        }
    }

    private func waitUntilListening() throws {
        let name = self.process.executableURL?.lastPathComponent ?? "it"
        try Deadline.usual.poll("\(name) to listen") {
            guard self.process.isRunning else { throw HarnessError("\(name) has ended") }
            return (try? LoopbackSocket(port: self.port)) != nil ? true : nil
        }
    }
}
