import Foundation

/// The SHA-256 of a stream, computed by `sha256sum`, which is fast even for a debug build of the tests.
final class StreamDigest {
    private let process = Process()
    private let input = Process.makePipe()
    private let output = Process.makePipe()

    init() throws {
        self.process.executableURL = try ToolProcess.locate("sha256sum")
        self.process.standardInput = self.input
        self.process.standardOutput = self.output
        try self.process.start()
    }

    func update(_ bytes: [UInt8]) throws {
        try self.input.fileHandleForWriting.write(contentsOf: Data(bytes))
    }

    /// Returns the hash in hexadecimal digits.
    func finish() throws -> String {
        try self.input.fileHandleForWriting.close()
        let line = try self.output.fileHandleForReading.readToEnd() ?? Data()
        self.process.waitUntilExit()
        return String(decoding: line.prefix(64), as: UTF8.self)
    }
}
