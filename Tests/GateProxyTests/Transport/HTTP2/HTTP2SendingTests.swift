import GateWire
import NIOCore
import Testing
import WireSamples

@testable import GateProxy

struct HTTP2SendingTests {
    @Test func `a body is sent at once within the windows`() throws {
        let connection = FakeSending(window: 50_000)
        let stream = connection.stream(1, window: 40_000)
        stream.write(60_000, ends: true)
        #expect(connection.takeFrames() == ["1: data 16384", "1: data 16384", "1: data 7232"])
        #expect(stream.waitCount == 1)
        try connection.widen(stream, by: 100_000)
        #expect(connection.takeFrames() == ["1: data 10000"])
        try connection.widen(by: 100_000)
        #expect(connection.takeFrames() == ["1: data 10000 end"])
        #expect(stream.lastCount == 1)
        #expect(connection.line.count == 0)
    }

    @Test func `streams take turns, one frame each`() throws {
        let connection = FakeSending(window: 0)
        connection.stream(1).write(40_000, ends: true)
        connection.stream(3).write(20_000, ends: true)
        connection.stream(5).write(10, ends: true)
        #expect(connection.takeFrames() == [])
        try connection.widen(by: 100_000)
        #expect(
            connection.takeFrames() == [
                "1: data 16384", "3: data 16384", "5: data 10 end", "1: data 16384",
                "3: data 3616 end", "1: data 7232 end",
            ]
        )
    }

    @Test func `the next turn continues where the window was exhausted`() throws {
        let connection = FakeSending(window: 0)
        for id: UInt32 in [1, 3, 5] { connection.stream(id).write(60_000) }
        var turns: [String] = []
        for _ in 0..<7 {
            try connection.widen(by: 16_384)
            turns += connection.takeFrames()
        }
        #expect(turns == [1, 3, 5, 1, 3, 5, 1].map { "\($0): data 16384" })
    }

    @Test func `a stream that keeps writing does not overtake waiting streams`() throws {
        let connection = FakeSending(window: 0)
        let eager = connection.stream(1)
        eager.write(20_000)
        connection.stream(3).write(10, ends: true)
        for _ in 0..<5 { eager.write(20_000) }
        try connection.widen(by: 16_384 + 10)
        #expect(connection.takeFrames() == ["1: data 16384", "3: data 10 end"])
    }

    @Test func `a stream without a window neither blocks others nor is forgotten`() throws {
        let connection = FakeSending(window: 0)
        let stuck = connection.stream(1, window: 0)
        stuck.write(10, ends: true)
        connection.stream(3).write(20_000, ends: true)
        connection.stream(5, window: 5).write(10, ends: true)
        try connection.widen(by: 100_000)
        #expect(connection.takeFrames() == ["3: data 16384", "5: data 5", "3: data 3616 end"])
        try connection.widen(stuck, by: 4)
        #expect(connection.takeFrames() == ["1: data 4"])
        try connection.widen(stuck, by: 6)
        #expect(connection.takeFrames() == ["1: data 6 end"])
        #expect(connection.line.count == 1)
    }

    @Test func `frames wait until the channel is writable`() {
        let connection = FakeSending(window: 100_000)
        connection.isWritable = false
        connection.stream(1).write(10, ends: true)
        connection.stream(3).write(10, ends: true)
        #expect(connection.takeFrames() == [])
        connection.isWritable = true
        connection.pump()
        #expect(connection.takeFrames() == ["1: data 10 end", "3: data 10 end"])
    }

    @Test func `an end without data needs no window`() {
        let connection = FakeSending(window: 0)
        let stream = connection.stream(1, window: 0)
        stream.write(0, ends: true)
        #expect(connection.takeFrames() == ["1: data 0 end"])
        #expect(stream.lastCount == 1)
    }

    @Test func `a stream is notified of a pause and when it is writable`() throws {
        let connection = FakeSending(window: 10)
        let stream = connection.stream(1)
        stream.write(10)
        #expect(stream.pauseCount == 1)
        stream.write(HTTP2StreamOutput.limit + 10)
        try connection.widen(by: 10)
        #expect(stream.writableCount == 0)
        try connection.widen(by: 1)
        try connection.widen(by: 1)
        #expect(stream.writableCount == 1)
        #expect(stream.pauseCount == 1)
    }

    @Test func `a finished stream leaves the queue, and no other does`() throws {
        let connection = FakeSending(window: 0)
        let first = connection.stream(1)
        let over = connection.stream(3)
        let last = connection.stream(5)
        for stream in [first, over, last] { stream.write(10, ends: true) }
        over.isOver = true
        #expect(connection.line.remove(over) == true)
        #expect(connection.line.count == 2)
        #expect(connection.line.remove(over) == true)
        try connection.widen(by: 100)
        #expect(connection.takeFrames() == ["1: data 10 end", "5: data 10 end"])
    }

    @Test func `the stream whose turn it is cannot be removed`() {
        let connection = FakeSending(window: 0)
        let stream = connection.stream(1)
        stream.write(10)
        #expect(connection.line.next() === stream)
        #expect(connection.line.remove(stream) == false)
        connection.line.leave(stream)
        #expect(connection.line.remove(stream) == true)
    }

    @Test(arguments: [(0, HTTP2ErrorCode.protocolError), (0x7FFF_FFFF, .flowControlError)])
    func `a window update must be positive and within the limit`(
        _ increment: Int,
        _ fault: HTTP2ErrorCode
    ) {
        let connection = FakeSending(window: 1)
        let stream = connection.stream(1, window: 1)
        #expect(throws: fault) { try connection.widen(by: increment) }
        #expect(throws: fault) { try connection.widen(stream, by: increment) }
    }

    /// The channel becomes writable again during the flush.
    @Test func `a channel that is writable at once gets everything once and in order`() throws {
        let connection = FakeSending(window: 0)
        connection.pumpsInFlush = true
        for id: UInt32 in [1, 3, 5] { connection.stream(id).write(200_000, ends: true) }
        try connection.widen(by: 1_000_000)
        let frames = connection.takeFrames()
        for id in [1, 3, 5] {
            let mine = frames.filter { $0.hasPrefix("\(id):") }
            #expect(
                mine == Array(repeating: "\(id): data 16384", count: 12) + ["\(id): data 3392 end"]
            )
        }
        #expect(connection.line.count == 0)
    }

    /// No stream that could send waits.
    @Test(arguments: 0..<40)
    func `no stream waits forever`(_ seed: UInt64) throws {
        var random = Steps(seed)
        let connection = FakeSending(window: 30_000)
        connection.pumpsInFlush = seed % 2 == 1
        let streams = (0..<6).map { connection.stream(UInt32(2 * $0 + 1), window: 20_000) }
        for _ in 0..<400 {
            let stream = streams[random.next(streams.count)]
            switch random.next(8) {
            case 0...2 where !stream.isDone: stream.write(random.next(30_000))
            case 3: try connection.widen(by: 1 + random.next(40_000))
            case 4:
                let increment = 1 + random.next(40_000)
                stream.room += increment
                try connection.widen(stream, by: increment)
            case 5: connection.isWritable = false
            case 6 where !stream.isDone && random.next(10) == 0: stream.write(0, ends: true)
            default:
                connection.isWritable = true
                connection.pump()
            }
            guard connection.isWritable, connection.sendWindow.left > 0 else { continue }
            #expect(streams.allSatisfy { $0.output.isEmpty || $0.room <= 0 })
        }
        connection.isWritable = true
        for stream in streams {
            if !stream.isDone { stream.write(0, ends: true) }
            try connection.widen(stream, by: 10_000_000)
        }
        try connection.widen(by: 100_000_000)
        #expect(streams.allSatisfy { $0.output.hasEnded && $0.lastCount == 1 })
        #expect(streams.map(\.sentBytes) == streams.map(\.writtenBytes))
        #expect(connection.line.count == 0)
    }
}

/// A connection whose frames are only recorded.
private final class FakeSending: HTTP2Sending {
    var isWritable = true
    var outbox = HTTP2Outbox()
    var sendWindow: HTTP2SendWindow
    var line = HTTP2SendQueue<FakeStream>()
    /// Whether the channel is reported as writable during each flush.
    var pumpsInFlush = false
    private var sent = ByteBuffer()

    init(window: Int) {
        self.sendWindow = HTTP2SendWindow(window)
    }

    func stream(_ id: UInt32, window: Int = 1_000_000) -> FakeStream {
        FakeStream(id, window: window, self)
    }

    func wrote(_ count: Int, of stream: FakeStream) {
        stream.sentBytes += count
        stream.room -= count
    }

    func flush() {}

    func flushNow() {
        guard var bytes = self.outbox.take() else { return }
        self.sent.writeImmutableBuffer(bytes)
        if self.pumpsInFlush { self.pump() }
        self.outbox.reuse(&bytes)
    }

    /// Returns the frames sent since the last call.
    func takeFrames() -> [String] {
        self.flushNow()
        defer { self.sent.clear() }
        return self.sent.framesInShort
    }
}

private final class FakeStream: HTTP2Sender {
    let id: UInt32
    var isOver = false
    var output = HTTP2StreamOutput()
    /// The window according to the test.
    var room: Int
    var isDone = false
    var writtenBytes = 0
    var sentBytes = 0
    private(set) var waitCount = 0
    private(set) var pauseCount = 0
    private(set) var lastCount = 0
    private(set) var writableCount = 0
    private unowned let connection: FakeSending

    init(_ id: UInt32, window: Int, _ connection: FakeSending) {
        self.id = id
        self.room = window
        self.connection = connection
        self.output.begin(window: window)
    }

    func write(_ count: Int, ends: Bool = false) {
        self.writtenBytes += count
        self.output.append(count)
        if ends {
            self.isDone = true
            self.output.end(trailers: nil)
        }
        self.connection.send(self)
    }

    func waits() { self.waitCount += 1 }
    func didSendPending() { self.pauseCount += 1 }
    func didSendLastFrame() { self.lastCount += 1 }
    func becameWritable() { self.writableCount += 1 }
}

/// Deterministic pseudo-random steps, from Knuth's LCG.
private struct Steps {
    private var state: UInt64

    init(_ seed: UInt64) {
        self.state = seed &+ 1
    }

    mutating func next(_ count: Int) -> Int {
        self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(self.state >> 33) % count
    }
}
