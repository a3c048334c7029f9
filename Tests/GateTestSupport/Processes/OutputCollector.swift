import Foundation

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
    func start() {
        let handle = self.pipe.fileHandleForReading
        Thread.detachNewThread { [collected] in
            while case let data = handle.availableData, !data.isEmpty {
                collected.update { $0.append(data) }
            }
            collected.update { $0.hasEnded = true }
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

    fileprivate mutating func append(_ data: Data) {
        self.unfinished += data
        while let end = self.unfinished.firstIndex(of: UInt8(ascii: "\n")) {
            self.lines.append(String(decoding: self.unfinished[..<end], as: UTF8.self))
            self.unfinished.removeSubrange(...end)
        }
    }
}
