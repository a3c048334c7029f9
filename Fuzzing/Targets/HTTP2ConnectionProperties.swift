import GatePolicy
import GateProxy
import Logging
import NIOCore
import NIOEmbedded

/// Properties of any bytes after the start of an HTTP/2 connection, for a gate whose backend is unreachable.
struct HTTP2ConnectionProperties {
    private let input: [UInt8]

    init(_ input: [UInt8]) {
        self.input = input
    }

    private static let opening =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    func check() throws(Finding) {
        let whole = try self.answer([self.input.count])
        var log = HTTP2FrameLog()
        try log.read(whole)
        for ends in Splits(self.input) {
            var other = HTTP2FrameLog()
            try other.read(try self.answer(ends))
            try expect(other.outline, is: log.outline, "in pieces \(ends)")
        }
    }

    /// Returns the bytes that the gate sends when the input arrives in parts with these ends.
    private func answer(_ ends: [Int]) throws(Finding) -> [UInt8] {
        do {
            let loop = EmbeddedEventLoop()
            let worker = Worker(
                eventLoop: loop,
                settings: Self.settings,
                ruleSet: RuleSet(RuleSetDefinition(revision: "fuzz")),
                logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
            )
            let channel = EmbeddedChannel(loop: loop)
            try ClientPipeline.begin(on: channel, clients: worker.clients, isSecure: false)
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            var sent: [UInt8] = []
            try channel.writeInbound(ByteBuffer(bytes: Self.opening))
            var start = 0
            for end in ends where channel.isActive {
                try channel.writeInbound(ByteBuffer(bytes: self.input[start..<end]))
                start = end
            }
            // Bytes that arrive together are processed in event-loop ticks some microseconds apart.
            loop.advanceTime(by: .milliseconds(10))
            while let piece = try channel.readOutbound(as: ByteBuffer.self) {
                sent += Array(piece.readableBytesView)
            }
            channel.close(promise: nil)
            loop.run()
            var isEmpty = false
            worker.drain().assumeIsolated().whenSuccess { isEmpty = true }
            loop.run()
            guard isEmpty else { throw Finding("the worker still has a client") }
            return sent
        } catch let finding as Finding {
            throw finding
        } catch {
            throw Finding("the channel says \(error)")
        }
    }

    private static let settings: GateSettings = {
        var settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(targets: [])
        )
        settings.verdictCacheCapacity = 16
        return settings
    }()
}
