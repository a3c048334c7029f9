import GatePolicy
import Logging
import NIOCore
import NIOEmbedded
import NIOTLS
import Testing

@testable import GateProxy

/// The refusal of a TLS client, in its negotiated protocol.
struct RefusalTests {
    private func said(negotiating name: String?) throws -> [UInt8] {
        let loop = EmbeddedEventLoop()
        let settings = GateSettings(
            listen: Endpoint(host: "127.0.0.1", port: 0),
            upstream: UpstreamSettings(targets: [])
        )
        let worker = Worker(
            eventLoop: loop,
            settings: settings,
            ruleSet: RuleSet(RuleSetDefinition(revision: "1")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let client = ClientConnection(
            clients: worker.clients,
            origin: ClientAddress(nil, trusted: .none, isSecure: true),
            admission: .overClientLimit
        )
        let channel = EmbeddedChannel(handler: client, loop: loop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        // The gate sends nothing yet, because the protocol is not negotiated.
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        channel.pipeline.fireUserInboundEventTriggered(
            TLSUserEvent.handshakeCompleted(negotiatedProtocol: name)
        )
        loop.run()
        var bytes: [UInt8] = []
        while let piece = try channel.readOutbound(as: ByteBuffer.self) {
            bytes += Array(piece.readableBytesView)
        }
        return bytes
    }

    @Test(arguments: [nil, "http/1.1"])
    func `over HTTP/1.1, the refusal is a response`(_ name: String?) throws {
        let text = String(decoding: try self.said(negotiating: name), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 429 "))
        #expect(text.contains("\r\nConnection: close\r\n"))
    }

    @Test func `over HTTP/2, the refusal is a GOAWAY`() throws {
        let bytes = try self.said(negotiating: "h2")
        // SETTINGS comes first, and last GOAWAY with the code ENHANCE_YOUR_CALM: no stream was processed.
        #expect(bytes.dropFirst(3).first == 4)
        #expect(bytes.suffix(17) == [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11])
    }
}
