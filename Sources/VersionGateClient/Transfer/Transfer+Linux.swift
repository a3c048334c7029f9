#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    /// Foundation on Linux has no sequence of bytes, and no delegate for a single task that comes in
    /// pieces: the transfer has a session of its own, with the configuration of the app's.
    extension Transfer {
        /// Sends the request; it is cancelled as soon as nobody reads on.
        func parts() -> Parts {
            Parts { continuation in
                let receiver = TransferReceiver(continuation)
                // Foundation on Linux traps where a task is cancelled while a cache is asked
                // (swift-corelibs-foundation, issue 3292); the gate's answers are kept in none.
                let configuration = self.session.configuration
                configuration.urlCache = nil
                let session = URLSession(
                    configuration: configuration,
                    delegate: receiver,
                    delegateQueue: nil
                )
                let task = session.dataTask(with: self.request)
                session.finishTasksAndInvalidate()
                continuation.onTermination = { reason in
                    guard case .cancelled = reason else { return }
                    receiver.cancel(task)
                }
                task.resume()
            }
        }
    }

    /// Hands on what a session tells of a transfer.
    private final class TransferReceiver: NSObject, URLSessionDataDelegate {
        private let continuation: Transfer.Parts.Continuation
        /// Whether nobody reads on.
        private let isCancelled = Locked(false)

        init(_ continuation: Transfer.Parts.Continuation) {
            self.continuation = continuation
        }

        func cancel(_ task: URLSessionTask) {
            self.isCancelled.withLock { isCancelled in
                isCancelled = true
                task.cancel()
            }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            guard Transfer.staysWithGate(from: response.url, to: request.url) else {
                self.continuation.finish(throwing: URLError(.redirectToNonExistentLocation))
                return self.cancel(task)
            }
            // Foundation traps where a task that was cancelled is told how to go on.
            self.isCancelled.withLock { isCancelled in
                if !isCancelled { completionHandler(request) }
            }
        }

        func urlSession(
            _ session: URLSession,
            dataTask: URLSessionDataTask,
            didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            if let response = response as? HTTPURLResponse {
                self.continuation.yield(.head(response))
            }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
        {
            self.continuation.yield(.piece(data))
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            didCompleteWithError error: (any Error)?
        ) {
            self.continuation.finish(throwing: error)
        }
    }
#endif
