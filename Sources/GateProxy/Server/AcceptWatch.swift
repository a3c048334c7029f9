import Glibc
import Logging
package import NIOCore

/// Stands on a listener and tells when connections cannot be accepted.
///
/// The listener rests for a second if the process or the system has run out of something, or is
/// about to; connections wait in the kernel's queue. NIO's own handler for this leaves the
/// descriptor registered when the first accept of a turn fails, and the loop would spin.
package final class AcceptWatch: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    private static let rest = TimeAmount.seconds(1)

    private let purpose: DescriptorReserve.Purpose
    private let report: (_ error: String) -> Void
    private let closeSpareConnection: () -> Bool
    private let descriptors = DescriptorReserve()
    private var isResting = false

    /// - Parameters:
    ///   - purpose: The kind of connections that the listener accepts.
    ///   - closeSpareConnection: Closes an accepted connection that does nothing, so that the listener need not
    ///     rest; false if there is none.
    ///   - report: Gets the reason whenever a connection cannot be accepted.
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
        // Room is looked for between two turns, and a turn must not take more than was there.
        try? context.channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        self.restWithoutRoom(context.channel)
        context.fireChannelReadComplete()
    }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error as? IOError)?.errnoCode {
        // The one connection is gone; the next one needs nobody to wait.
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
                because: "the last descriptors are for what is connected already"
            )
        }
    }

    private func rest(_ listener: any Channel, because reason: String) {
        guard !self.isResting else { return }
        self.report(reason)
        self.isResting = true
        // A listener that has been closed meanwhile refuses, and has nothing to accept.
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
