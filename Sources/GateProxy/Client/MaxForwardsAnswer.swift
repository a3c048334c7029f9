import GatePolicy

/// The responses to `TRACE` and `OPTIONS` with `Max-Forwards: 0`, which the gate does not forward (RFC 9110 section
/// 7.6.2).
enum MaxForwardsAnswer {
    /// `TRACE` requests are not reflected, because a reflected request would show the client the fields that
    /// intermediaries have added.
    static let trace = RenderedAnswer(
        GateAnswer(status: 405, detail: "This gateway rejects TRACE."),
        adding: [Self.allow]
    )
    static let options = RenderedAnswer(status: 204, fields: [Self.allow], body: [])
    /// The methods that the gate forwards; only the backend knows which methods it allows.
    private static let allow = HeaderField(
        name: "Allow",
        value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
}
