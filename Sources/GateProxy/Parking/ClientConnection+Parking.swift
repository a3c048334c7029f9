import Glibc
import NIOCore

/// The steps of a connection that goes on without a channel.
extension ClientConnection {
    /// Whether the client has its answer, nothing has come since, and the time for that ends no
    /// later than that.
    ///
    /// Over TLS there is more to a connection than its socket.
    func isIdle(until limit: NIODeadline) -> Bool {
        guard self.exchange == .head, !self.hasHeadDeadline, let deadline = self.deadline,
            deadline <= limit, self.inbound.readableBytes == 0, !self.inputClosed,
            !self.origin.isSecure, self.refusal == nil, self.outbound == nil, self.upstream == nil,
            case .channel(let output) = self.transport
        else { return false }
        return output.isEmpty
    }

    /// Another descriptor of the client's socket; `nil` if none is left.
    func duplicateDescriptor() -> CInt? {
        guard case .channel(let output) = self.transport else { return nil }
        let pipeline = output.context.pipeline.syncOperations
        let descriptor = try? pipeline.withUnsafeTransportIfAvailable(of: CInt.self) { socket in
            fcntl(socket, F_DUPFD_CLOEXEC, 0)
        }
        return descriptor.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Closes the channel; the socket stays open by its other descriptor.
    func leaveSocket() {
        self.exchange = .closed
        self.transport.close()
    }
}
