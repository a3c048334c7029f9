import Glibc
import Logging
import NIOCore

/// Stands on a listener and tells when connections cannot be accepted.
///
/// Where the process or the system has run out of something, the listener rests for a second, and
/// connections wait in the kernel's queue. NIO's own handler for this leaves the descriptor
/// registered when the first accept of a turn fails, and the loop would spin.
final class AcceptWatch: ChannelInboundHandler {
    typealias InboundIn = any Channel

    private static let rest = TimeAmount.seconds(1)

    private let worker: Worker
    private var isResting = false

    init(worker: Worker) {
        self.worker = worker
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.worker.refused(.accept, ["error": "\(error)"])
        switch (error as? IOError)?.errnoCode {
        // The one connection is gone; the next one needs nobody to wait.
        case ECONNABORTED: break
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: self.rest(context.channel)
        default: context.fireErrorCaught(error)
        }
    }

    private func rest(_ listener: any Channel) {
        guard !self.isResting else { return }
        self.isResting = true
        self.accept(false, listener)
        listener.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) {
            self.isResting = false
            self.accept(true, listener)
        }
    }

    private func accept(_ accepts: Bool, _ listener: any Channel) {
        // A listener that has been closed meanwhile refuses, and has nothing to accept.
        try? listener.syncOptions?.setOption(.autoRead, value: accepts)
    }
}

@available(*, unavailable)
extension AcceptWatch: Sendable {}
