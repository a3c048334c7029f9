import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests to the gate's own endpoints.
struct GateEndpoints: Sendable {
    let baseURL: URL
    let identity: AppIdentity
    let session: URLSession
    /// The timeout for a status request, in seconds.
    let checkTimeout: TimeInterval
    let surroundings: ClientEnvironment

    /// Requests the state of the client.
    func status(path: String?, method: String?, knownTag: String?) async -> StatusResult {
        let question = [("path", path), ("method", method)].compactMap { name, value in
            value.map { "\(name)=\(Self.queryEncoded($0))" }
        }
        guard var request = self.request(for: "status", question) else { return .foreign }
        if let knownTag { request.setValue(knownTag, forHTTPHeaderField: "If-None-Match") }
        // The timeout for the whole response is enforced here, because the session's timeout
        // restarts with each chunk.
        request.timeoutInterval = max(1, self.checkTimeout.rounded(.up)) + 1
        let transfer = Transfer(request: request, session: self.session)
        let answer = try? await self.surroundings.within(self.checkTimeout) {
            try await transfer.whole()
        }
        guard let (response, body) = answer else { return .foreign }
        return StatusResult(response, body, knownTag: knownTag)
    }

    /// Creates a request for the event stream; returns `nil` if the base URL is not a valid HTTP URL.
    func events(lastID: String?) -> Transfer? {
        guard var request = self.request(for: "events", []) else { return nil }
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let lastID { request.setValue(lastID, forHTTPHeaderField: "Last-Event-ID") }
        request.timeoutInterval = EventFeed.heartbeatTimeout + 15
        return Transfer(request: request, session: self.session)
    }

    private func request(for name: String, _ question: [String]) -> URLRequest? {
        guard var place = URLComponents(url: self.baseURL, resolvingAgainstBaseURL: true),
            ["http", "https"].contains(place.scheme?.lowercased()), place.host?.isEmpty == false
        else { return nil }
        let prefix = place.percentEncodedPath
        place.percentEncodedPath =
            (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix)
            + GateWire.endpointFolder + name
        place.percentEncodedQuery = question.isEmpty ? nil : question.joined(separator: "&")
        place.fragment = nil
        guard let url = place.url else { return nil }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        for (name, value) in self.identity.fields {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Returns a string with all characters percent-encoded except unreserved characters and slashes
    /// (RFC 3986 sections 2.3 and 3.4).
    private static func queryEncoded(_ text: String) -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
        let allowed = CharacterSet(charactersIn: unreserved)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

/// The outcome of a status request.
enum StatusResult: Equatable {
    /// A state from the gate, with the entity tag of the response (RFC 9110 section 8.8.3).
    case state(GateState, announced: MaintenanceWindow? = nil, tag: String?)
    /// The state has not changed since the last response.
    case unchanged
    /// The response is not from a gate but, for example, from a captive portal, or from a backend
    /// or proxy that was reached without going through the gate.
    case foreign

    /// Parses the response to a request with `knownTag` in `If-None-Match`.
    init(_ response: HTTPURLResponse, _ body: Data, knownTag: String?) {
        switch response.statusCode {
        case 304 where knownTag != nil:
            self = .unchanged
        case 200:
            // The login page of a captive portal is not JSON; JSON from another API has no
            // decision.
            guard response.mediaType == "application/json",
                let document = GateDocument(json: body), let state = document.state
            else {
                self = .foreign
                return
            }
            let tag = response.value(forHTTPHeaderField: "ETag")
            self = .state(state, announced: document.announced, tag: tag)
        default:
            self = .foreign
        }
    }
}
