/// The texts that a test sends on a connection that remains open.
package final class Outbox: Sendable {
    private struct State {
        var pieces: [[UInt8]] = []
        var isClosed = false
    }

    private enum Piece {
        case bytes([UInt8])
        case end
    }

    private let state = Watched(State())

    package init() {}

    package func send(_ text: String) {
        self.state.update { $0.pieces.append(Array(text.utf8)) }
    }

    /// Ends the connection once everything is sent.
    package func close() {
        self.state.update { $0.isClosed = true }
    }

    /// Blocks until there is data to send; returns `nil` at the end.
    func next(by deadline: Deadline) throws -> [UInt8]? {
        let piece = try self.state.wait(for: "something to send", by: deadline) { state in
            state.pieces.first.map { Piece.bytes($0) } ?? (state.isClosed ? .end : nil)
        }
        guard case .bytes(let bytes) = piece else { return nil }
        self.state.update { _ = $0.pieces.removeFirst() }
        return bytes
    }
}
