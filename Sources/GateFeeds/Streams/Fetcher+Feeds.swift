internal import GateRules
internal import GateSystem

/// Fetches for feeds, and converts errors to `FeedFailure`.
extension Fetcher {
    /// Sends a request, and waits for the complete response.
    func response(to request: FetchRequest) async throws(FeedFailure) -> FetchResponse {
        do {
            return try await self.fetch(request)
        } catch {
            throw .fetch(error)
        }
    }

    /// Sends a request, and waits for the response head.
    func stream(of request: FetchRequest) async throws(FeedFailure) -> FetchStream {
        do {
            return try await self.open(request)
        } catch {
            throw .fetch(error)
        }
    }
}

extension FetchURL {
    /// Returns the URL with parameters appended to its query.
    func appending(_ parameters: [(name: String, value: String)]) throws(FeedFailure) -> FetchURL {
        var url = self
        do {
            for (name, value) in parameters { url = try url.appending(query: name, value) }
        } catch {
            throw .fetch(.unsendable)
        }
        return url
    }
}
