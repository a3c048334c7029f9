import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request to the gate itself, with its response in chunks.
struct Transfer: Sendable {
    /// A part of the response; the head is first.
    enum Part: Sendable {
        case head(HTTPURLResponse)
        case piece(Data)
    }

    typealias Parts = AsyncThrowingStream<Part, any Error>

    let request: URLRequest
    let session: URLSession

    /// Sends the request and waits for the whole response.
    ///
    /// - Throws: The errors of the session, or an error if the response has no head or exceeds
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

    /// Returns whether a redirect stays with the gate: redirects to another host, or from HTTPS to
    /// HTTP, come from captive portals.
    static func staysWithGate(from old: URL?, to new: URL?) -> Bool {
        guard let old, let new, let host = old.host, let newHost = new.host else { return false }
        return host.lowercased() == newHost.lowercased()
            && (old.scheme?.lowercased() != "https" || new.scheme?.lowercased() == "https")
    }
}

#if !canImport(FoundationNetworking)
    extension Transfer {
        /// Sends the request, and returns the parts of the response.
        ///
        /// The request is canceled when the stream is no longer read.
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
            // The session's own delegate handles everything else, such as server trust.
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

        /// The maximum chunk size, in bytes.
        private static let pieceSize = 4096
    }

    /// Prevents redirects away from the gate; the redirect itself is then the response.
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
