internal import GateRules
internal import GateSystem

extension Fetcher {
    /// Sends a request for a feed, and waits for the complete response.
    func response(to request: FetchRequest) async throws(FeedFailure) -> FetchResponse {
        do {
            return try await self.fetch(request)
        } catch {
            throw .fetch(error)
        }
    }
}
