import GatePolicy
package import GateProxy
import GateWire

extension ForwardedRequest {
    /// Creates a minimal request; each one is a separate object.
    package static func sample() -> ForwardedRequest {
        let text = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var parser = RequestHeadParser()
        let progress = parser.parse(text.span, table: .request(identityHeaderNames: []))
        guard progress == .complete, let facts = try? RequestFacts(parser.head, in: text.span)
        else { preconditionFailure("the sample is not a request") }
        return ForwardedRequest(
            parser.head,
            facts: facts,
            in: text.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientAddress(nil, trusted: .none),
            upstreamAuthority: "backend",
            newRequestID: { RequestID(high: 0, low: 0) }
        )
    }
}
