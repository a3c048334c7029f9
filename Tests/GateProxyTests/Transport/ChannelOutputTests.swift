import GateTestSupport
import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import GateProxy

/// Bytes written through a real channel, which arrive complete and in order on either path.
@Suite(.ownThread, .timeLimit(.minutes(2 * GateExecutable.slowdown)))
struct ChannelOutputTests {
    /// Provides the output to a test, on the event loop of the channel.
    private final class Holder: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer

        private let output: EventLoopPromise<NIOLoopBound<ChannelOutput>>
        private let bypassesChannel: Bool

        init(_ output: EventLoopPromise<NIOLoopBound<ChannelOutput>>, bypassesChannel: Bool) {
            self.output = output
            self.bypassesChannel = bypassesChannel
        }

        func channelActive(context: ChannelHandlerContext) {
            let output = ChannelOutput(context, bypassesChannel: self.bypassesChannel)
            self.output.succeed(NIOLoopBound(output, eventLoop: context.eventLoop))
        }
    }

    /// Counts the bytes that pass through a channel to the socket.
    private final class Counter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        private(set) var bytes = 0
        /// The total memory of the buffers to which the pieces belong.
        private(set) var memory = 0

        func write(
            context: ChannelHandlerContext,
            data: NIOAny,
            promise: EventLoopPromise<Void>?
        ) {
            let buffer = self.unwrapOutboundIn(data)
            self.bytes += buffer.readableBytes
            self.memory += buffer.storageCapacity
            context.write(data, promise: promise)
        }
    }

    /// A connection with a writing end, and a channel that reads on request.
    private struct Connection {
        let output: NIOLoopBound<ChannelOutput>
        let counter: NIOLoopBound<Counter>
        let writer: any Channel
        let reader: any Channel
        let received: NIOLoopBound<Collector>

        init(bypassesChannel: Bool) async throws {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let promise = loop.makePromise(of: NIOLoopBound<ChannelOutput>.self)
            let counter = try await loop.submit { NIOLoopBound(Counter(), eventLoop: loop) }.get()
            let accepted = loop.makePromise(of: (any Channel).self)
            let server = try await ServerBootstrap(group: loop)
                .childChannelInitializer { channel in
                    accepted.succeed(channel)
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                .childChannelOption(.autoRead, value: false)
                // Set before the connection is accepted, so that it limits the bytes in flight.
                .serverChannelOption(.socketOption(.so_rcvbuf), value: 65536)
                .bind(host: "127.0.0.1", port: 0).get()
            let address = try #require(server.localAddress)
            self.writer = try await ClientBootstrap(group: loop)
                .channelOption(.socketOption(.so_sndbuf), value: 4096)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            counter.value,
                            Holder(promise, bypassesChannel: bypassesChannel)
                        )
                    }
                }
                .connect(to: address).get()
            self.counter = counter
            self.output = try await promise.futureResult.get()
            let reader = try await accepted.futureResult.get()
            self.reader = reader
            self.received = try await loop.submit {
                let collector = Collector()
                try reader.pipeline.syncOperations.addHandler(collector)
                return NIOLoopBound(collector, eventLoop: loop)
            }.get()
            try await server.close()
        }

        /// Runs a closure on the event loop of both ends.
        func onLoop<Result: Sendable>(
            _ body: @escaping @Sendable (ChannelOutput) throws -> Result
        ) async throws -> Result {
            try await self.writer.eventLoop.submit { try body(self.output.value) }.get()
        }

        /// Reads until this many bytes are available.
        func read(_ count: Int) async throws -> [UInt8] {
            let loop = self.reader.eventLoop
            while true {
                let bytes = try await loop.submit { self.received.value.bytes }.get()
                if bytes.count >= count { return bytes }
                try await loop.flatSubmit {
                    self.received.value.more(from: self.reader, behind: bytes.count)
                }.get()
            }
        }

        func close() async throws {
            try? await self.writer.close()
            try? await self.reader.close()
        }
    }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private(set) var bytes: [UInt8] = []
        private var waiter: EventLoopPromise<Void>?

        /// Reads from a channel once, when data arrives, or at once if there is more data than before.
        ///
        /// A channel whose peer has closed reads all remaining data by itself.
        func more(from channel: any Channel, behind seen: Int) -> EventLoopFuture<Void> {
            guard self.bytes.count == seen else {
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            guard channel.isActive else {
                return channel.eventLoop.makeFailedFuture(ChannelError.eof)
            }
            let waiter = channel.eventLoop.makePromise(of: Void.self)
            self.waiter = waiter
            channel.read()
            return waiter.futureResult
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.bytes += Array(self.unwrapInboundIn(data).readableBytesView)
        }

        func channelReadComplete(context: ChannelHandlerContext) {
            self.waiter.take()?.succeed()
        }

        func channelInactive(context: ChannelHandlerContext) {
            // Bytes from before the end are processed first.
            self.waiter.take()?.succeed()
        }
    }

    /// Returns bytes that depend on their position.
    private static func numbered(_ range: Range<Int>) -> ByteBuffer {
        ByteBuffer(bytes: Self.numbers[range])
    }

    /// Computed once, because millions of bytes take seconds in a debug build.
    private static let numbers = (0..<1_600_000).map {
        UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8)
    }

    @Test func `data that the kernel accepts at once bypasses the channel`() async throws {
        let connection = try await Connection(bypassesChannel: true)
        for start in stride(from: 0, to: 3000, by: 300) {
            let isEmpty = try await connection.onLoop { output in
                output.writeAndFlush(Self.numbered(start..<start + 200))
                output.write(Self.numbered(start + 200..<start + 300))
                #expect(!output.isEmpty)
                output.flush()
                return output.isEmpty
            }
            #expect(isEmpty)
            #expect(try await connection.read(start + 300).count == start + 300)
        }
        #expect(
            try await connection.read(3000) == Array(Self.numbered(0..<3000).readableBytesView)
        )
        #expect(try await connection.onLoop { _ in connection.counter.value.bytes } == 0)
        try await connection.close()
    }

    @Test func `with a transforming handler, all data passes through the channel`() async throws {
        let connection = try await Connection(bypassesChannel: false)
        try await connection.onLoop { output in
            output.writeAndFlush(Self.numbered(0..<200))
            output.write(Self.numbered(200..<300))
            output.flush()
        }
        #expect(try await connection.read(300) == Array(Self.numbered(0..<300).readableBytesView))
        #expect(try await connection.onLoop { _ in connection.counter.value.bytes } == 300)
        try await connection.close()
    }

    @Test(arguments: [true, false])
    func `the unsent bytes are counted, wherever they wait`(
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        let total = 1_500_000
        try await connection.onLoop { output in
            #expect(output.untaken == 0)
            output.write(Self.numbered(0..<total))
            #expect(output.untaken == total)
            output.flush()
        }
        // The kernel holds the rest for the peer.
        let before = try await connection.onLoop { $0.untaken }
        #expect((1..<total).contains(before))
        _ = try await connection.read(total)
        #expect(try await connection.onLoop { $0.untaken } < before)
        try await connection.close()
    }

    @Test(arguments: [1, 700, 5000, 100_000], [true, false])
    func `a stalled reader gets every byte in order`(
        _ size: Int,
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        let total = 1_500_000
        // More than all kernel buffers hold, in pieces that are sent in three ways.
        let isWritten = connection.writer.eventLoop.makePromise(of: Void.self)
        try await connection.onLoop { output in
            var start = 0
            var turn = 0
            while start < total {
                // The smallest pieces would take too long to fill the kernel buffers.
                let end = Swift.min(start + (start < 2000 ? size : 100_000), total)
                if turn % 3 == 0 {
                    output.writeAndFlush(Self.numbered(start..<end))
                } else {
                    output.write(Self.numbered(start..<end))
                    if turn % 5 == 0 { output.flush() }
                }
                start = end
                turn += 1
            }
            #expect(!output.isEmpty)
            output.whenWritten { isWritten.succeed() }
        }
        let bytes = try await connection.read(total)
        #expect(bytes == Array(Self.numbered(0..<total).readableBytesView))
        try await isWritten.futureResult.get()
        // Afterwards, data bypasses the channel again.
        let passed = try await connection.onLoop { _ in connection.counter.value.bytes }
        try await connection.onLoop { $0.writeAndFlush(Self.numbered(total..<total + 10)) }
        #expect(try await connection.read(total + 10).count == total + 10)
        let passedNow = try await connection.onLoop { _ in connection.counter.value.bytes }
        #expect(passedNow == (bypassesChannel ? passed : passed + 10))
        try await connection.close()
    }

    @Test(arguments: [true, false])
    func `small waiting pieces are joined, and keep no buffers alive`(
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        // More than the kernel buffers hold.
        let full = 1_500_000
        try await connection.onLoop { $0.writeAndFlush(Self.numbered(0..<full)) }
        let before = try await connection.onLoop { _ in connection.counter.value.memory }
        let pieces = 20_000
        try await connection.onLoop { output in
            for place in full..<full + pieces {
                // As after a read, the piece is a slice of a buffer with unused capacity.
                var buffer = ByteBufferAllocator().buffer(capacity: 1024)
                buffer.writeImmutableBuffer(Self.numbered(place..<place + 1))
                output.writeAndFlush(buffer)
            }
        }
        let bytes = try await connection.read(full + pieces)
        #expect(bytes == Array(Self.numbered(0..<full + pieces).readableBytesView))
        let held = try await connection.onLoop { _ in connection.counter.value.memory } - before
        // Sixteen unchanged pieces, and buffers of at most twice the other pieces' size.
        #expect(held <= 17 * 1024 + 4 * pieces, "\(held) bytes")
        #expect(try await connection.onLoop { $0.isEmpty })
        try await connection.close()
    }

    @Test(arguments: [true, false])
    func `written data is sent before the end`(
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        try await connection.onLoop { output in
            output.write(Self.numbered(0..<100))
            output.flush()
            output.write(Self.numbered(100..<200))
            output.end()
        }
        #expect(try await connection.read(200) == Array(Self.numbered(0..<200).readableBytesView))
        try await connection.close()
    }

    @Test(arguments: [true, false])
    func `writing to a closed channel has no effect`(
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        try await connection.writer.close()
        try await connection.onLoop { output in
            output.writeAndFlush(Self.numbered(0..<100))
            output.write(Self.numbered(0..<100))
            output.flush()
        }
        try await connection.close()
    }

    @Test(arguments: [true, false])
    func `a disconnected peer closes the channel without SIGPIPE`(
        bypassesChannel: Bool
    ) async throws {
        let connection = try await Connection(bypassesChannel: bypassesChannel)
        let socket = try #require(connection.reader as? any SocketOptionProvider)
        try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await connection.reader.close()
        while connection.writer.isActive {
            try await connection.onLoop { $0.writeAndFlush(Self.numbered(0..<100)) }
        }
        try await connection.writer.closeFuture.get()
    }

    @Test func `a channel without a socket is written to`() throws {
        final class Keeper: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            var output: ChannelOutput?
            func handlerAdded(context: ChannelHandlerContext) {
                self.output = ChannelOutput(context, bypassesChannel: true)
            }
        }
        let channel = EmbeddedChannel()
        let keeper = Keeper()
        try channel.pipeline.syncOperations.addHandler(keeper)
        keeper.output?.write(ByteBuffer(string: "a"))
        keeper.output?.writeAndFlush(ByteBuffer(string: "b"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "a"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(string: "b"))
    }
}

extension ChannelOutput {
    /// Writes a piece and reuses its memory like the gate, so waiting data must have been copied.
    fileprivate func writeAndFlush(_ piece: ByteBuffer) {
        var piece = piece
        self.writeAndFlush(&piece)
        piece.clear()
        piece.writeRepeatingByte(0xFF, count: piece.capacity)
    }
}
