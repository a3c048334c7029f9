import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
