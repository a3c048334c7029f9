import NIOCore
import NIOEmbedded
import Testing

@testable import GateAdmin

/// Closing a connection whose client is still sending.
struct DrainingCloseHandlerTests {
    /// Records that the write side was closed, because `EmbeddedChannel` has no half-closed state.
    private final class Socket: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var isOutputClosed = false

        func close(
            context: ChannelHandlerContext,
            mode: CloseMode,
            promise: EventLoopPromise<Void>?
        ) {
            guard mode == .output else { return context.close(mode: mode, promise: promise) }
            self.isOutputClosed = true
            promise?.succeed()
        }
    }

    private let closing = DrainingCloseHandler()
    private let socket = Socket()
    private let channel = EmbeddedChannel()

    init() throws {
        try self.channel.pipeline.syncOperations.addHandlers([self.socket, self.closing])
        try self.channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ text: String) throws {
        try self.channel.writeInbound(ByteBuffer(string: text))
    }

    @Test func `bytes pass until the connection is closed, and are discarded after that`() throws {
        try self.receive("ab")
        #expect(try self.channel.readInbound(as: ByteBuffer.self) == ByteBuffer(string: "ab"))
        #expect(!self.socket.isOutputClosed)
        self.closing.close(self.channel, discarding: 4)
        #expect(self.socket.isOutputClosed)
        try self.receive("cd")
        try self.receive("ef")
        #expect(try self.channel.readInbound(as: ByteBuffer.self) == nil)
        #expect(self.channel.isActive)
        try self.receive("g")
        #expect(!self.channel.isActive)
    }

    @Test func `the connection ends as soon as the client closes its side`() {
        self.closing.close(self.channel, discarding: 4)
        #expect(self.channel.isActive)
        self.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!self.channel.isActive)
    }

    @Test func `the connection ends at once if the client has closed its side`() {
        self.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(self.channel.isActive)
        self.closing.close(self.channel, discarding: 4)
        #expect(!self.channel.isActive)
    }
}
