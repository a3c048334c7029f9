import Glibc
import Logging
package import NIOCore

/// A listener's handler that detects and reports failures to accept connections.
///
/// The listener pauses for a second if the process or the system has run out of a resource or is
/// about to; meanwhile, new connections wait in the kernel's accept queue. NIO's own handler for
/// such failures leaves the descriptor registered if the first accept in a tick fails, which would
/// make the event loop spin.
package final class AcceptWatch: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private static let rest = TimeAmount.seconds(1)

    private let purpose: DescriptorReserve.Purpose
    private let report: (_ error: String) -> Void
    private let closeSpareConnection: () -> Bool
    private let descriptors = DescriptorReserve()
    private var isResting = false

    /// Creates a handler for a listener that accepts connections for `purpose`.
    ///
    /// `closeSpareConnection` closes an idle accepted connection so that the listener need not
    /// pause, and returns `false` if there is none. `report` gets the reason why a connection
    /// cannot be accepted.
    package init(
        for purpose: DescriptorReserve.Purpose,
        closeSpareConnection: @escaping () -> Bool = { false },
        report: @escaping (_ error: String) -> Void
    ) {
        self.purpose = purpose
        self.closeSpareConnection = closeSpareConnection
        self.report = report
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        // The number of available descriptors is checked after each read, so a read accepts only
        // one connection.
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.restWithoutRoom(context.channel)
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        // Only this connection is lost; the next one can be accepted at once.
        case ECONNABORTED:
            self.report("\(error)")
        case EMFILE, ENFILE, ENOBUFS, ENOMEM:
            self.rest(context.channel, because: "\(error)")
        default:
            self.report("\(error)")
            context.fireErrorCaught(error)
        }
    }

    private func restWithoutRoom(_ listener: any Channel) {
        while !self.descriptors.hasRoom(for: self.purpose) {
            guard !self.closeSpareConnection() else { continue }
            return self.rest(
                listener,
                because: "the remaining file descriptors are reserved for open connections"
            )
        }
    }

    private func rest(_ listener: any Channel, because reason: String) {
        guard !self.isResting else { return }
        self.report(reason)
        self.isResting = true
        // A listener that has been closed in the meantime rejects the option, which is harmless.
        try? listener.syncOptions?.setOption(.autoRead, value: false)
        listener.eventLoop.assumeIsolated().scheduleTask(in: Self.rest) {
            self.isResting = false
            self.restWithoutRoom(listener)
            guard !self.isResting else { return }
            try? listener.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

@available(*, unavailable)
extension AcceptWatch: Sendable {}
