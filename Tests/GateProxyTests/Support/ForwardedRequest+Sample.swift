import GatePolicy
import GateWire

@testable import GateProxy

extension ForwardedRequest {
    /// A request of which nothing is known.
    static func sample() -> ForwardedRequest {
        var parser = RequestHeadParser()
        let text = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        precondition(parser.parse(text.span, table: .request(identityHeaderNames: [])) == .complete)
        guard let facts = try? RequestFacts(parser.head, in: text.span) else { fatalError() }
        return ForwardedRequest(
            parser.head,
            facts: facts,
            in: text.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientOrigin(nil, trusted: .none),
            upstreamAuthority: "backend",
            newRequestID: { RequestID(high: 0, low: 0) }
        )
    }
}
