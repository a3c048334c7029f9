import GateWire
import NIOCore
import NIOEmbedded

@testable import GateProxy

/// Backends by address, whose connections succeed or fail as the test decides.
final class FakeBackends {
    private let loop: EmbeddedEventLoop
    private var pending: [(address: String, promise: EventLoopPromise<UpstreamLink>)] = []
    /// The dialed addresses, in order.
    private(set) var dialled: [String] = []

    init(loop: EmbeddedEventLoop) {
        self.loop = loop
    }

    func connect(
        to address: UpstreamAddress,
        speaking offer: UpstreamProtocol
    ) -> EventLoopFuture<UpstreamLink> {
        let promise = self.loop.makePromise(of: UpstreamLink.self)
        self.dialled.append(address.description)
        self.pending.append((address.description, promise))
        return promise.futureResult
    }

    /// Completes the oldest pending connection.
    func accept() throws -> Wire<UpstreamConnection> {
        let wire = try Wire(UpstreamConnection(limits: .defaults), loop: self.loop)
        self.pending.removeFirst().promise.assumeIsolated().succeed(.exclusive(wire.handler))
        return wire
    }

    /// Fails the oldest pending connection.
    func fail(_ error: any Error) {
        self.pending.removeFirst().promise.fail(error)
    }

    static let refused = IOError(errnoCode: 111, reason: "connect")
    static let timeout = ChannelError.connectTimeout(.seconds(5))
}
