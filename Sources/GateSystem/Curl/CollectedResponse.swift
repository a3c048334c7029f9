private import Synchronization

/// A sink that collects a non-streaming response.
final class CollectedResponse: TransferSink {
    private typealias Waiter = CheckedContinuation<Result<FetchResponse, FetchFailure>, Never>

    private struct State {
        var head: ResponseHead?
        var body: [UInt8] = []
        var result: Result<FetchResponse, FetchFailure>?
        var waiter: Waiter?
    }

    private let limit: Int
    private let acceptsGzip: Bool
    private let state = Mutex(State())

    init(for request: FetchRequest) {
        self.limit = request.limits.bytes
        self.acceptsGzip = request.acceptsGzip
    }

    var hasRoom: Bool { true }

    func receive(_ head: ResponseHead) throws(FetchFailure) {
        guard head.isFramed else { throw .unframed }
        // libcurl does not decode a content coding that the request did not offer.
        guard self.acceptsGzip || !head.isEncoded else { throw .badEncoding }
        self.state.withLock { $0.head = head }
    }

    func receive(_ bytes: [UInt8]) throws(FetchFailure) {
        let fits = self.state.withLock { state in
            guard state.body.count + bytes.count <= self.limit else { return false }
            state.body += bytes
            return true
        }
        guard fits else { throw .tooLarge(limit: self.limit) }
    }

    func finish(_ end: Result<Void, FetchFailure>) {
        let (waiter, result) = self.state.withLock { state in
            let result = end.flatMap { () -> Result<FetchResponse, FetchFailure> in
                guard let head = state.head else { return .failure(.noResponse) }
                return .success(FetchResponse(head: head, body: state.body))
            }
            state.result = result
            state.body = []
            return (state.waiter.take(), result)
        }
        waiter?.resume(returning: result)
    }

    /// Waits for the end of the transfer, and returns the response or the failure; at most one caller may wait.
    func result() async -> Result<FetchResponse, FetchFailure> {
        await withCheckedContinuation { waiter in
            let result = self.state.withLock { state in
                if state.result == nil { state.waiter = waiter }
                return state.result
            }
            if let result { waiter.resume(returning: result) }
        }
    }
}

extension ResponseHead {
    fileprivate var isEncoded: Bool {
        self["Content-Encoding"].map { $0.lowercased() != "identity" } ?? false
    }

    /// Whether the end of a response with status 200 can be verified (RFC 9112 section 6.3).
    ///
    /// Responses with other statuses are used at most for error messages.
    fileprivate var isFramed: Bool {
        guard self.status == 200 else { return true }
        return self["Content-Length"] != nil
            || self["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") == true
    }
}
