import GatePolicy
import GateWire

/// The responses of the gate's client endpoints.
enum EndpointAnswer {
    /// Returns the status of a client, or 304 if the client already has the current status (RFC 9110 section 13.1.2).
    static func status(_ status: LaunchStatus, vary: String, knownTags: [String]) -> RenderedAnswer
    {
        var fields = [
            HeaderField(name: "ETag", value: "\"\(status.tag)\""),
            // Caches must revalidate the status, because apps check it at every startup and the response is cheap.
            HeaderField(name: "Cache-Control", value: "private, no-cache"),
            HeaderField(name: "Vary", value: vary),
        ]
        guard !knownTags.contains(status.tag), !knownTags.contains("*") else {
            return RenderedAnswer(status: 304, fields: fields, body: [])
        }
        fields.append(HeaderField(name: "Content-Type", value: "application/json"))
        if let language = status.language {
            fields.append(HeaderField(name: "Content-Language", value: language.description))
        }
        let kind = status.decision.kind.rawValue
        fields.append(HeaderField(name: Answer.markerName, value: kind))
        return RenderedAnswer(status: 200, fields: fields, body: status.body)
    }

    /// Returns the response with the known TestFlight builds.
    ///
    /// The sources are polled every few minutes, so caching for a minute makes no difference.
    static func testFlight(_ body: [UInt8], vary: String) -> RenderedAnswer {
        RenderedAnswer(
            status: 200,
            fields: [
                HeaderField(name: "Content-Type", value: "application/json"),
                HeaderField(name: "Cache-Control", value: "private, max-age=60"),
                HeaderField(name: "Vary", value: vary),
            ],
            body: body
        )
    }

    /// Returns the head of an event stream.
    static func events(vary: String, isChunked: Bool) -> RenderedAnswer {
        RenderedAnswer(
            status: 200,
            fields: EventStream.fields(vary: vary, isChunked: isChunked),
            body: nil
        )
    }

    /// Returns the response to a CORS preflight, which permits the header fields that identify the client.
    static func preflight(requestedHeaders: String?) -> RenderedAnswer {
        var fields = [
            HeaderField(name: "Access-Control-Allow-Methods", value: "GET, HEAD"),
            HeaderField(name: "Access-Control-Max-Age", value: "86400"),
        ]
        if let requestedHeaders {
            let name = "Access-Control-Allow-Headers"
            fields.append(HeaderField(name: name, value: requestedHeaders))
        }
        return RenderedAnswer(status: 204, fields: fields, body: [])
    }

    static let methodNotAllowed = RenderedAnswer(
        GateAnswer(status: 405, detail: "This endpoint is read-only: use GET or HEAD."),
        adding: [HeaderField(name: "Allow", value: "GET, HEAD, OPTIONS")]
    )
    static let badPath = RenderedAnswer(
        GateAnswer(
            status: 400,
            detail: "The query can contain at most one 'path', which must begin with a slash."
        )
    )
    static let notFound = RenderedAnswer(
        GateAnswer(status: 404, detail: "There is no such endpoint: use 'status' or 'events'.")
    )
}

extension WorkerRules {
    /// Returns the response to a request for an endpoint, or `nil` if the response depends on the status of the client.
    ///
    /// `confirmed` maps each feed to the time at which it last confirmed its content.
    func endpointAnswer(
        _ endpoint: ClientEndpoint,
        on head: RequestHead,
        facts: RequestFacts,
        in bytes: Span<UInt8>,
        confirmed: [String: Timestamp]
    ) -> RenderedAnswer? {
        guard endpoint != .unknown else { return EndpointAnswer.notFound }
        guard !facts.isPreflight else {
            let requested = head.value(of: "access-control-request-headers", in: bytes)
            return EndpointAnswer.preflight(requestedHeaders: requested)
        }
        guard facts.isHead || head.method("GET", in: bytes) else {
            return EndpointAnswer.methodNotAllowed
        }
        guard case .testFlight(let question) = endpoint else { return nil }
        guard self.ruleSet.hasTestFlightBuilds else { return EndpointAnswer.notFound }
        let body = self.testFlight(question, on: head, in: bytes, confirmed: confirmed)
        return EndpointAnswer.testFlight(body, vary: self.ruleSet.answerInputs)
    }
}
