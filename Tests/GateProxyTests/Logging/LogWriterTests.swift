import GateTestSupport
import Glibc
import NIOCore
import Testing

@testable import GateProxy

/// A log whose reader is controlled by the test.
private final class LogPipe {
    private var reading: CInt
    private var writing: CInt
    let writer: LogWriter

    /// Linux's `F_SETPIPE_SZ`, which Swift does not import.
    private static let setPipeSize: CInt = 1031

    /// `size`: the capacity of the pipe in bytes.
    init(capacity: Int, size: Int = 4096, isNonBlocking: Bool = false) throws {
        var ends: [CInt] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        (self.reading, self.writing) = (ends[0], ends[1])
        // Prevents processes started by other tests from inheriting the pipe.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try #require(fcntl(self.writing, Self.setPipeSize, CInt(size)) >= size)
        if isNonBlocking { _ = fcntl(self.writing, F_SETFL, O_NONBLOCK) }
        self.writer = LogWriter(descriptor: self.writing, capacity: capacity) { dropped in
            Array("dropped \(dropped)\n".utf8)
        }
        self.writer.start()
    }

    /// Reads until the text has this suffix.
    func read(until end: String) throws -> String {
        try self.read { $0.hasSuffix(end) }
    }

    func read(until isEnough: (String) -> Bool) throws -> String {
        var text: [UInt8] = []
        while !isEnough(String(decoding: text, as: UTF8.self)) {
            var descriptor = pollfd(fd: self.reading, events: Int16(POLLIN), revents: 0)
            try #require(unsafe poll(&descriptor, 1, 10_000) == 1, "the log stopped")
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe Glibc.read(self.reading, &piece, piece.count)
            try #require(count > 0)
            text += piece[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Closes the reading end.
    func closeReader() {
        if self.reading >= 0 { close(self.reading) }
        self.reading = -1
        // Until it calls `exec`, a process that another test is starting has a copy of the reading end.
        var watched = pollfd(fd: self.writing, events: 0, revents: 0)
        while watched.revents & Int16(POLLERR) == 0 { _ = unsafe poll(&watched, 1, -1) }
    }

    /// Closes the reader first, so that the thread cannot block.
    func end() async {
        self.closeReader()
        await self.writer.stop()
        close(self.writing)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct LogWriterTests {
    private static func line(_ number: Int) -> [UInt8] {
        Array("line \(number) \(String(repeating: "x", count: 80))\n".utf8)
    }

    /// Returns the sum of the drops reported in a log.
    private static func reportedDrops(in text: String) -> UInt64 {
        text.split(separator: "\n").filter { $0.hasPrefix("dropped ") }
            .compactMap { UInt64($0.dropFirst(8)) }.reduce(0, +)
    }

    @Test func `lines are in order, and a flush waits for them`() async throws {
        let pipe = try LogPipe(capacity: 1 << 20, size: 1 << 20)
        for number in 0..<5000 { pipe.writer.write(Self.line(number).span) }
        #expect(pipe.writer.flush(atMost: .seconds(10)))
        let lines = try pipe.read(until: "line 4999 \(String(repeating: "x", count: 80))\n")
            .split(separator: "\n")
        #expect(lines.count == 5000)
        for (number, line) in lines.enumerated() { #expect(line.hasPrefix("line \(number) x")) }
        #expect(pipe.writer.droppedLines == 0)
        await pipe.end()
    }

    @Test(arguments: [false, true])
    func `a stalled reader blocks no writer, and gets the number of dropped lines`(
        isNonBlocking: Bool
    ) async throws {
        let pipe = try LogPipe(capacity: 64 << 10, isNonBlocking: isNonBlocking)
        let clock = ContinuousClock()
        let time = clock.measure {
            for number in 0..<10_000 { pipe.writer.write(Self.line(number).span) }
        }
        #expect(time < .seconds(5) * GateExecutable.slowdown)
        #expect(!pipe.writer.flush(atMost: .milliseconds(20)))
        let dropped = pipe.writer.droppedLines
        #expect(dropped > 0)
        let text = try pipe.read { Self.reportedDrops(in: $0) == dropped }
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("dropped ") }
        #expect(UInt64(lines.count) + dropped == 10_000)
        for line in lines {
            #expect(line.hasPrefix("line ") && line.hasSuffix("xxx") && line.utf8.count < 100)
        }
        // Once the reader continues, lines are written as usual.
        pipe.writer.write(Self.line(7).span)
        #expect(try pipe.read(until: "x\n").hasPrefix("line 7 "))
        #expect(pipe.writer.droppedLines == dropped)
        await pipe.end()
    }

    @Test func `lines of the access log keep a reserve free for other lines`() async throws {
        let pipe = try LogPipe(capacity: 16 << 10)
        for number in 0..<1000 { pipe.writer.writeAccessLines(Self.line(number).span) }
        let dropped = pipe.writer.droppedLines
        #expect(dropped > 0)
        pipe.writer.write(Array("not a request\n".utf8).span)
        #expect(pipe.writer.droppedLines == dropped)
        // The report may come before or after the line, because the thread may be between two lines.
        let text = try pipe.read { text in
            text.contains("not a request\n") && Self.reportedDrops(in: text) == dropped
        }
        #expect(text.split(separator: "\n").contains("not a request"))
        await pipe.end()
    }

    @Test func `a closed reader does not stop the writer`() async throws {
        let pipe = try LogPipe(capacity: 16 << 10)
        pipe.closeReader()
        for number in 0..<3 {
            pipe.writer.write(Self.line(number).span)
            #expect(pipe.writer.flush(atMost: .seconds(10)))
            #expect(pipe.writer.droppedLines == UInt64(number + 1))
        }
        await pipe.end()
    }

    @Test func `only the refused lines are lost when the disk is full`() async throws {
        let full = unsafe open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        let writer = LogWriter(descriptor: full, capacity: 1024) { _ in Array("notice\n".utf8) }
        writer.start()
        for number in 1...5 {
            writer.write(Array("a\nb\n".utf8).span)
            #expect(writer.flush(atMost: .seconds(10)))
            #expect(writer.droppedLines == UInt64(2 * number))
        }
        await writer.stop()
    }

    @Test func `a line longer than a batch is written completely`() async throws {
        let pipe = try LogPipe(capacity: 1 << 20)
        let long = String(repeating: "y", count: 20_000) + "\n"
        pipe.writer.write(Array(("short\n" + long + "short\n").utf8).span)
        #expect(try pipe.read(until: "\nshort\n") == "short\n" + long + "short\n")
        await pipe.end()
    }
}
