import Foundation
import Glibc

/// Reads what a process writes to a pipe, line by line and as a whole, on a thread of its own.
final class OutputCollector: Sendable {
    struct Collected: Sendable {
        var lines: [String] = []
        /// The last line, as long as its end has not come.
        var unfinished: [UInt8] = []
        var hasEnded = false
    }

    let pipe = Pipe()
    let collected = Watched(Collected())

    /// Starts to read; call it when the process runs.
    ///
    /// The pipe is closed here, at its end: `Process` keeps its handles for longer than it lives.
    func start() {
        let handle = self.pipe.fileHandleForReading
        Thread.detachNewThread { [collected] in
            while let bytes = Self.read(handle.fileDescriptor), !bytes.isEmpty {
                collected.update { $0.append(bytes) }
            }
            try? handle.close()
            collected.update { $0.hasEnded = true }
        }
    }

    /// What comes next, or nothing at the end; nil when the pipe cannot be read.
    ///
    /// `FileHandle.availableData` ends the process when a signal comes meanwhile.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) {
                buffer,
                initialized in
                unsafe count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialized = max(count, 0)
            }
            if count >= 0 { return bytes }
            if errno != EINTR { return nil }
        }
    }

    /// Everything that was written, once the process has closed its end.
    func text() throws -> String {
        try self.collected.wait(for: "the end of the output") { $0.hasEnded ? $0.text : nil }
    }
}

extension OutputCollector.Collected {
    var text: String {
        let rest = String(decoding: self.unfinished, as: UTF8.self)
        return self.lines.map { "\($0)\n" }.joined() + rest
    }

    fileprivate mutating func append(_ bytes: [UInt8]) {
        self.unfinished += bytes
        while let end = self.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            self.lines.append(String(decoding: self.unfinished[..<end], as: UTF8.self))
            self.unfinished.removeSubrange(...end)
        }
    }
}
