private import CLinux
import GateWire
import Glibc

/// The file descriptor of a log, written to by a thread that may block.
///
/// If the reader stops reading, only this thread blocks. Lines that cannot be written (the reader has closed the
/// pipe, or the disk is full) are dropped, because keeping them would only cause later lines to be dropped.
struct LogOutput {
    /// The maximum size in bytes of a write that a pipe does not interleave with other writes (`PIPE_BUF` on Linux).
    private static let atomicBytes = 4096

    private let descriptor: CInt
    /// The rest of a line that was only partly written because a write failed.
    private var rest: [UInt8] = []

    init(descriptor: CInt) {
        self.descriptor = descriptor
    }

    /// Writes whole lines, in batches that never end within a line.
    ///
    /// - Returns: The number of lines that were dropped.
    mutating func write(_ lines: Span<UInt8>) -> Int {
        if !self.rest.isEmpty {
            let written = self.writeAll(self.rest.span, from: 0, to: self.rest.count)
            self.rest.removeFirst(written)
            guard self.rest.isEmpty else { return lines.lineFeeds(from: 0) }
        }
        var start = 0
        while start < lines.count {
            let end = Self.endOfLines(in: lines, from: start)
            let written = self.writeAll(lines, from: start, to: end)
            start += written
            guard start < end else { continue }
            if written > 0, lines[start - 1] != ASCII.lineFeed {
                let lineEnd = lines.position(of: ASCII.lineFeed, from: start) ?? lines.count - 1
                self.rest = unsafe lines.extracting(start...lineEnd).withUnsafeBufferPointer {
                    unsafe Array($0)
                }
                start = lineEnd + 1
            }
            return lines.lineFeeds(from: start)
        }
        return 0
    }

    /// Returns the end of the lines to write together, with a minimum of one line.
    private static func endOfLines(in bytes: Span<UInt8>, from start: Int) -> Int {
        guard bytes.count - start > Self.atomicBytes else { return bytes.count }
        let together = bytes.extracting(start..<start + Self.atomicBytes)
        if let last = together.lastPosition(of: ASCII.lineFeed) { return start + last + 1 }
        let end = bytes.position(of: ASCII.lineFeed, from: start + Self.atomicBytes)
        return end.map { $0 + 1 } ?? bytes.count
    }

    /// Writes bytes until all are written or a write fails.
    ///
    /// - Returns: The number of bytes that were written.
    private func writeAll(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var position = start
        while position < end {
            let written = unsafe bytes.extracting(position..<end).withUnsafeBytes {
                unsafe Glibc.write(self.descriptor, $0.baseAddress, $0.count)
            }
            if written > 0 {
                position += written
            } else if written < 0, errno == EAGAIN {
                self.waitUntilWritable()
            } else if written == 0 || errno != EINTR {
                break
            }
        }
        return position - start
    }

    /// Waits until the descriptor is writable, in case another process has made it non-blocking.
    private func waitUntilWritable() {
        var descriptor = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe _ = poll(&descriptor, 1, -1)
    }
}

extension Span<UInt8> {
    fileprivate func lastPosition(of byte: UInt8) -> Int? {
        unsafe self.withUnsafeBytes { bytes in
            guard let first = bytes.baseAddress,
                let hit = unsafe memrchr(first, CInt(byte), bytes.count)
            else { return nil }
            return unsafe first.distance(to: UnsafeRawPointer(hit))
        }
    }
}
