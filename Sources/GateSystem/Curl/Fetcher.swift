/// An HTTP client on libcurl that fetches complete responses and streams.
///
/// Proxies are taken from curl's environment variables (`https_proxy`, `no_proxy`). TLS
/// certificates are always verified.
package final class Fetcher: Sendable {
    fileprivate let loop: TransferLoop

    /// Starts the thread that runs all transfers; the thread ends when the fetcher is released.
    ///
    /// `now` is the clock that measures how long streams have sent nothing.
    package init(
        trust: TrustedAuthorities = .system,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(FetchFailure) {
        guard let loop = TransferLoop(trust: trust, now: now) else {
            throw .other("out of memory or file descriptors")
        }
        self.loop = loop
    }

    deinit {
        self.loop.stop()
    }

    /// Sends a request, follows the redirects that it allows, and waits for the complete response.
    ///
    /// - Returns: The response, whatever its status.
    package func fetch(_ request: FetchRequest) async throws(FetchFailure) -> FetchResponse {
        let end = ContinuousClock.now + request.limits.deadline
        var hop = request
        for _ in 0...RedirectRule.limit {
            let response = try await self.answer(to: hop, by: end)
            guard RedirectRule.isRedirect(response.head) else { return response }
            hop = try request.redirects.next(after: hop, first: request, response.head)
        }
        throw .tooManyRedirects(limit: RedirectRule.limit)
    }

    /// Sends a request, follows the redirects that it allows, and waits for the response head.
    ///
    /// - Returns: The response, whatever its status; releasing it ends the transfer.
    package func open(_ request: FetchRequest) async throws(FetchFailure) -> FetchStream {
        var hop = request
        for _ in 0...RedirectRule.limit {
            let stream = try await self.stream(of: hop)
            guard RedirectRule.isRedirect(stream.head) else { return stream }
            hop = try request.redirects.next(after: hop, first: request, stream.head)
        }
        throw .tooManyRedirects(limit: RedirectRule.limit)
    }

    private func answer(
        to hop: FetchRequest,
        by end: ContinuousClock.Instant
    ) async throws(FetchFailure) -> FetchResponse {
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { throw .deadline }
        let sink = CollectedResponse(for: hop)
        let id = self.loop.start(hop, timeout: .total(left), sink: sink)
        return try await withTaskCancellationHandler {
            await sink.result()
        } onCancel: {
            self.loop.send(.cancel(id))
        }.get()
    }

    private func stream(of hop: FetchRequest) async throws(FetchFailure) -> FetchStream {
        let buffer = StreamBuffer()
        let id = self.loop.start(hop, timeout: .silence(hop.limits.silence), sink: buffer)
        let lease = StreamLease(id: id, fetcher: self)
        let head = try await withTaskCancellationHandler {
            await buffer.head()
        } onCancel: {
            self.loop.send(.cancel(id))
        }.get()
        return FetchStream(head: head, buffer: buffer, lease: lease)
    }
}

/// Keeps a transfer and its fetcher alive; releasing the lease ends the transfer.
final class StreamLease: Sendable {
    private let id: TransferLoop.ID
    private let fetcher: Fetcher

    fileprivate init(id: TransferLoop.ID, fetcher: Fetcher) {
        self.id = id
        self.fetcher = fetcher
    }

    deinit {
        self.cancel()
    }

    func resume() {
        self.fetcher.loop.send(.resume(self.id))
    }

    func cancel() {
        self.fetcher.loop.send(.cancel(self.id))
    }
}
