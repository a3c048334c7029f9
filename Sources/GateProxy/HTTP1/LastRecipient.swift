import GatePolicy

/// The answers to a request that may be forwarded no more (RFC 9110 7.6.2): whoever asks with
/// `Max-Forwards: 0` wants to know who stands here.
enum LastRecipient {
    /// `isTrace`: whether it is `TRACE`, which is not reflected, since that would show the client what
    /// fields came to stand in its request on the way; else it is `OPTIONS`.
    static func answer(isTrace: Bool) -> RenderedAnswer {
        isTrace ? self.trace : self.options
    }

    private static let trace = RenderedAnswer(
        status: 405,
        fields: [
            Self.allow,
            HeaderField(name: "Content-Type", value: "application/problem+json"),
            HeaderField(name: "Cache-Control", value: "no-store"),
        ],
        body: Array(GateAnswer(status: 405, detail: "This gateway answers no TRACE.").body.utf8)
    )
    private static let options = RenderedAnswer(status: 204, fields: [Self.allow], body: [])
    /// The methods that the gate passes on; only a backend knows which of them it allows.
    private static let allow = HeaderField(
        name: "Allow",
        value: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
    )
}
