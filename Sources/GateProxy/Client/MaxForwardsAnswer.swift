import GatePolicy

/// The gate's responses to `TRACE` and `OPTIONS` with `Max-Forwards: 0` (RFC 9110 section 7.6.2).
enum MaxForwardsAnswer {
    /// The response to `TRACE`.
    ///
    /// The request is not reflected, because that would show the client the fields that intermediaries have added.
    static let trace = RenderedAnswer(
        GateAnswer(status: 405, detail: "TRACE is not allowed."),
        adding: [Self.allow]
    )
    static let options = RenderedAnswer(status: 204, fields: [Self.allow], body: [])
    /// The methods that the gate forwards; which of these are allowed is known only to the backend.
    private static let allow = HeaderField(
        name: "Allow",
        value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
}
