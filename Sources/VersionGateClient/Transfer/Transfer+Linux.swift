#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    /// Transfers with Foundation on Linux.
    ///
    /// Foundation on Linux has no `AsyncBytes` and no task delegates that receive data in chunks.
    /// Each transfer therefore creates its own session with the configuration of the app's session.
    extension Transfer {
        /// Sends the request, and returns the parts of the response.
        ///
        /// The request is canceled when the stream is no longer read.
        func parts() -> Parts {
            Parts { continuation in
                let receiver = TransferReceiver(continuation)
                // Foundation on Linux traps if a task is canceled during a cache lookup
                // (swift-corelibs-foundation, issue 3292), so responses from the gate are not
                // cached.
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

    /// A session delegate that forwards the events of a transfer.
    private final class TransferReceiver: NSObject, URLSessionDataDelegate {
        private let continuation: Transfer.Parts.Continuation
        /// Whether the stream is no longer read.
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
            // Foundation traps if the completion handler is called for a canceled task.
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
