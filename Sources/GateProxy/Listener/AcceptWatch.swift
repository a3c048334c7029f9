import Glibc
import Logging
import NIOCore

/// Stands on a listener and tells when connections cannot be accepted.
///
/// Behind it stands NIO's own handler, which stops to accept for a second; connections wait in the
/// kernel's queue meanwhile.
final class AcceptWatch: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private let worker: Worker

    init(worker: Worker) {
        self.worker = worker
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.worker.refused(.accept, ["error": "\(error)"])
        // The one connection is gone; the next one needs nobody to wait.
        if (error as? IOError)?.errnoCode == ECONNABORTED { return }
        context.fireErrorCaught(error)
    }
}

@available(*, unavailable)
extension AcceptWatch: Sendable {}
