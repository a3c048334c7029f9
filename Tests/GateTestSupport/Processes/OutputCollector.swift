import Foundation
import Glibc

/// Reads a process's output from a pipe, by lines and as a whole, on a thread of its own.
final class OutputCollector: Sendable {
    struct Collected: Sendable {
        var lines: [String] = []
        /// The last line, until its end arrives.
        var unfinished: [UInt8] = []
        var hasEnded = false
    }

    private enum Reading {
        case active
        case stopping
        case stopped
    }

    private let reading = Watched(Reading.active)
    let pipe = Process.makePipe()
    let collected = Watched(Collected())

    /// Starts to read.
    ///
    /// Call this once the process runs.
    ///
    /// The pipe is closed here, at its end, because `Process` keeps its handles beyond the end of the process.
    func start() {
        let handle = self.pipe.fileHandleForReading
        Thread.detachNewThread { [collected, reading] in
            while Self.mayRead(reading), let bytes = Self.read(handle.fileDescriptor),
                !bytes.isEmpty
            {
                collected.update { $0.append(bytes) }
            }
            try? handle.close()
            collected.update { $0.hasEnded = true }
        }
    }

    /// Stops reading until `resumeReading()`, and fills the pipe.
    ///
    /// The pipe is opened for writing at `path`.
    func stopReading(from path: String) throws {
        self.reading.update { $0 = .stopping }
        // A separate descriptor can be nonblocking while the process's own descriptor still blocks.
        let descriptor = unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("cannot open \(path): \(errno)") }
        defer { close(descriptor) }
        // The read in progress ends when there is data.
        Self.write([UInt8(ascii: "\n")], to: descriptor)
        try self.reading.wait(for: "reading to stop") { $0 == .stopped ? true : nil }
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 4095)
        while Self.write(blanks + [UInt8(ascii: "\n")], to: descriptor) {}
        while Self.write([UInt8(ascii: "\n")], to: descriptor) {}
    }

    func resumeReading() {
        self.reading.update { $0 = .active }
    }

    @discardableResult
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// Waits while reading is stopped.
    ///
    /// Each turn decides by one look at the state, because another thread can change it at any time.
    private static func mayRead(_ reading: Watched<Reading>) -> Bool {
        while true {
            let isActive = reading.update { reading in
                if reading == .stopping { reading = .stopped }
                return reading == .active
            }
            if isActive { return true }
            let mayContinue = try? reading.wait(
                for: "reading to continue",
                by: .after(.seconds(300))
            ) { $0 == .stopped ? nil : true }
            guard mayContinue != nil else { return false }
        }
    }

    /// Returns the next bytes, or none at the end; `nil` if the pipe cannot be read.
    ///
    /// `FileHandle.availableData` ends the process when a signal interrupts it.
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

    /// Returns the whole output, once the process has closed its end.
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
