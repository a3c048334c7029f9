import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to the gate itself, and its answer in the pieces in which it comes.
struct Transfer: Sendable {
    /// A piece of the answer; the head comes first.
    enum Part: Sendable {
        case head(HTTPURLResponse)
        case piece(Data)
    }

    typealias Parts = AsyncThrowingStream<Part, any Error>

    let request: URLRequest
    let session: URLSession

    /// Sends the request and waits for the whole answer.
    ///
    /// - Throws: What the session throws, or an error for an answer that has no head or exceeds
    ///   `GateDocument.sizeLimit` bytes.
    func whole() async throws -> (HTTPURLResponse, Data) {
        var head: HTTPURLResponse?
        var body = Data()
        for try await part in self.parts() {
            switch part {
            case .head(let response): head = response
            case .piece(let piece): body.append(piece)
            }
            guard body.count <= GateDocument.sizeLimit else {
                throw URLError(.dataLengthExceedsMaximum)
            }
        }
        guard let head, !Task.isCancelled else { throw URLError(.cancelled) }
        return (head, body)
    }

    /// Whether a redirection can be a gate's front: whoever sends the client to another host, or out of
    /// TLS, is a captive portal.
    static func staysWithGate(from old: URL?, to new: URL?) -> Bool {
        guard let old, let new, let host = old.host, let newHost = new.host else { return false }
        return host.lowercased() == newHost.lowercased()
            && (old.scheme?.lowercased() != "https" || new.scheme?.lowercased() == "https")
    }
}

#if !canImport(FoundationNetworking)
    extension Transfer {
        /// Sends the request; it is cancelled as soon as nobody reads on.
        func parts() -> Parts {
            Parts { continuation in
                let task = Task {
                    do {
                        try await self.read(into: continuation)
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        private func read(into continuation: Parts.Continuation) async throws {
            // The session's own delegate does the rest, such as a question of trust.
            let (bytes, response) = try await self.session.bytes(
                for: self.request,
                delegate: RedirectionGuard()
            )
            if let response = response as? HTTPURLResponse { continuation.yield(.head(response)) }
            var piece = Data()
            for try await byte in bytes {
                piece.append(byte)
                guard byte == UInt8(ascii: "\n") || piece.count == Self.pieceSize else { continue }
                continuation.yield(.piece(piece))
                piece.removeAll(keepingCapacity: true)
            }
            if !piece.isEmpty { continuation.yield(.piece(piece)) }
        }

        /// In bytes.
        private static let pieceSize = 4096
    }

    /// Follows nobody who is not the gate's front: the redirection itself is the answer then.
    private final class RedirectionGuard: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            let isFollowed = Transfer.staysWithGate(from: response.url, to: request.url)
            completionHandler(isFollowed ? request : nil)
        }
    }
#endif
