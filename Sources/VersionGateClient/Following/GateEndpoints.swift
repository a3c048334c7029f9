import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The questions to the gate itself.
struct GateEndpoints: Sendable {
    let baseURL: URL
    let identity: AppIdentity
    let session: URLSession
    /// For how many seconds an answer to a check is waited for.
    let checkTimeout: TimeInterval
    let surroundings: ClientSurroundings

    /// Asks where the client stands.
    func status(path: String?, method: String?, knownTag: String?) async -> StatusAnswer {
        let question = [("path", path), ("method", method)].compactMap { name, value in
            value.map { "\(name)=\(Self.queryEncoded($0))" }
        }
        guard var request = self.request(for: "status", question) else { return .foreign }
        if let knownTag { request.setValue(knownTag, forHTTPHeaderField: "If-None-Match") }
        // The time for the whole answer is counted here; the session's would begin again with each
        // piece of it.
        request.timeoutInterval = max(1, self.checkTimeout.rounded(.up)) + 1
        let transfer = Transfer(request: request, session: self.session)
        let answer = try? await self.surroundings.within(self.checkTimeout) {
            try await transfer.whole()
        }
        guard let (response, body) = answer else { return .foreign }
        return StatusAnswer(response, body, knownTag: knownTag)
    }

    /// Asks to hear of every change; `nil` if the address of the gate is none.
    func events(lastID: String?) -> Transfer? {
        guard var request = self.request(for: "events", []) else { return nil }
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let lastID { request.setValue(lastID, forHTTPHeaderField: "Last-Event-ID") }
        request.timeoutInterval = EventFeed.longestSilence + 15
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

    /// Encodes everything that is not unreserved, and no slash (RFC 3986 sections 2.3 and 3.4).
    private static func queryEncoded(_ text: String) -> String {
        let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"
        let allowed = CharacterSet(charactersIn: unreserved)
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

/// The outcome of a request for the client's status.
enum StatusAnswer: Equatable {
    /// The gate said it; the tag names what it said (RFC 9110 section 8.8.3).
    case state(GateState, announced: MaintenanceWindow? = nil, tag: String?)
    /// It is as the gate said last.
    case unchanged
    /// Somebody else answered: a captive portal, a backend, a front without its gate.
    case foreign

    /// Reads an answer to a question that had this tag in `If-None-Match`.
    init(_ response: HTTPURLResponse, _ body: Data, knownTag: String?) {
        switch response.statusCode {
        case 304 where knownTag != nil:
            self = .unchanged
        case 200:
            // A page that says "sign in" is no document; another API's JSON has no decision.
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
