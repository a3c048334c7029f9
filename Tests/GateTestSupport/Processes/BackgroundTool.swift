import Foundation
import Glibc

/// A tool that runs in the background of a test, such as a server, until the test ends it.
package final class BackgroundTool: Sendable {
    private let process: Process
    private let output = OutputCollector()

    package init(_ name: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = try ToolProcess.locate(name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = self.output.pipe
        process.standardError = self.output.pipe
        try process.start()
        self.output.start()
        self.process = process
    }

    deinit {
        self.end()
    }

    package var processIdentifier: Int32 { self.process.processIdentifier }

    package var text: String { self.output.collected.current.text }

    /// Returns the first line once it has been written.
    package func firstLine() throws -> String {
        let line = try self.output.collected.wait(for: "a first line") { collected in
            collected.lines.first ?? (collected.hasEnded ? "" : nil)
        }
        guard !line.isEmpty else { throw HarnessError("the tool ended without output") }
        return line
    }

    /// Waits until a text has been written.
    package func waitForText(_ text: String) throws {
        _ = try self.output.collected.wait(for: text) { $0.text.contains(text) ? true : nil }
    }

    /// Returns the whole output once the tool has exited by itself.
    package func waitForEnd(by deadline: Deadline = .usual) throws -> String {
        try self.output.collected.wait(for: "the end of a tool", by: deadline) {
            $0.hasEnded ? $0.text : nil
        }
    }

    package func end() {
        if self.process.isRunning { _ = kill(self.process.processIdentifier, SIGKILL) }
    }
}
