internal import GateRules
internal import GateSystem

/// A client for App Store Connect that reads paginated lists; all requests share a token.
struct ConnectClient {
    /// The maximum number of pages per list, with 200 resources each.
    private static let maximumPages = 10
    private static let pageSize = "200"

    private let url: FetchURL
    private let credential: Credential
    private let fetcher: Fetcher
    /// The remaining budget after the last response.
    private var budget: ConnectBudget?

    init(_ url: FetchURL, token: String, fetcher: Fetcher) {
        self.url = url
        self.credential = .bearer(token)
        self.fetcher = fetcher
    }

    /// Fetches all pages of a list, up to the maximum.
    mutating func list(
        _ path: [String],
        _ parameters: [(name: String, value: String)]
    ) async throws(FeedFailure) -> ConnectList {
        var list = ConnectList()
        var next: FetchURL? = try self.address(path, parameters + [("limit", Self.pageSize)])
        var pages = 0
        while let url = next, pages < Self.maximumPages {
            pages += 1
            try self.checkBudget()
            let response = try await self.ask(url)
            self.budget = ConnectBudget(response.head)
            let page = try JSONValue.body(response.body)
            try list.add(page)
            next = try self.next(of: page, after: url)
        }
        return list
    }

    private func address(
        _ path: [String],
        _ parameters: [(name: String, value: String)]
    ) throws(FeedFailure) -> FetchURL {
        guard let url = self.url.appending(components: ["v1"] + path) else {
            throw .fetch(.unsendable)
        }
        return try url.appending(parameters)
    }

    private func ask(_ url: FetchURL) async throws(FeedFailure) -> FetchResponse {
        let request = FetchRequest(url, credential: self.credential, acceptsGzip: true)
        let response = try await self.fetcher.response(to: request)
        guard response.status == 200 else { throw Self.refusal(response) }
        return response
    }

    /// Returns the URL of the next page; `nil` if `page` is the last one.
    ///
    /// The URL must have the same origin as the first page, because requests contain the token.
    private func next(of page: JSONValue, after url: FetchURL) throws(FeedFailure) -> FetchURL? {
        guard let text = try page.text(at: "links.next") else { return nil }
        guard let next = try? FetchURL(parsing: text), next.hasSameOrigin(as: self.url) else {
            throw .content("'links.next' does not have the same origin as \(self.url)")
        }
        guard next != url else { throw .content("'links.next' points to the same page again") }
        return next
    }

    /// Throws if the key's budget is almost exhausted: the last requests are reserved for other
    /// uses, such as a build upload.
    private func checkBudget() throws(FeedFailure) {
        guard let window = self.budget?.scarce else { return }
        let message =
            "the key has only \(window.left) of its \(window.limit) requests left "
            + "for this \(window.name)"
        throw FeedFailure(.content(message), retryAfter: window.patience)
    }

    private static func refusal(_ response: FetchResponse) -> FeedFailure {
        let error = (try? JSONParser.parse(response.body))?["errors"]?.items?.first
        let words = [error?["code"]?.text, error?["detail"]?.text ?? error?["title"]?.text]
        let detail = words.compactMap(\.self).joined(separator: ": ")
        let wait = RetryAfter(response.head)?.seconds
        let isTooMuch = response.status == 429
        return FeedFailure(
            .status(response.status, detail: detail.isEmpty ? nil : String(detail.prefix(200))),
            retryAfter: wait ?? (isTooMuch ? ConnectBudget(response.head).patience : nil)
        )
    }
}
