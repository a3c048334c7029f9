package import GatePolicy
import GateWire
import NIOCore

/// A dry run, which determines the gate's response to a request without using a socket.
///
/// A dry run uses the code that serves real requests.
package struct DryRun: Sendable {
    package enum Outcome: Sendable {
        /// The request is invalid HTTP.
        case refused(GateAnswer)
        /// The request is for an endpoint of the gate, which can respond without a decision.
        case answered(Decision?, answer: String)
        /// The client receives this response, except for `Date` and the fields that depend on the connection.
        case denied(Decision, [Deferral], answer: String)
        /// The backend receives this head, and the client receives the backend's response with the added fields.
        case passed(Decision, [Deferral], upstreamHead: String, addedFields: String)
    }

    private let ruleSet: RuleSet
    private let now: Timestamp?
    private let address: String

    /// Creates a dry run for a client with the given address, at the given time or, by default, the current time.
    package init(ruleSet: RuleSet, at now: Timestamp? = nil, address: String = "192.0.2.1") {
        self.ruleSet = ruleSet
        self.now = now
        self.address = address
    }

    /// Returns a request head with the given fields, each in the form `Name: value`.
    ///
    /// `Host: localhost` is added unless the fields contain `Host`.
    package static func head(_ method: String, _ path: String, fields: [String]) -> String {
        let host = fields.contains { $0.lowercased().hasPrefix("host:") }
        let lines =
            ["\(method) \(path) HTTP/1.1"] + (host ? [] : ["Host: localhost"]) + fields
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    /// Evaluates a request head, which must include the empty line at its end.
    package func judge(_ head: String) -> Outcome {
        let buffer = ByteBuffer(string: head)
        let bytes = buffer.readableBytesUInt8Span
        let rules = WorkerRules(self.ruleSet, cacheCapacity: 1) { self.now ?? HTTPDate.now() }
        var parser = RequestHeadParser()
        switch parser.parse(bytes, table: rules.table) {
        case .incomplete: return .refused(.requestTimeout)
        case .malformed(let fault): return .refused(GateAnswer(fault))
        case .complete: break
        }
        var last: RememberedVerdict?
        do throws(MessageFault) {
            let facts = try RequestFacts(parser.head, in: bytes)
            if let endpoint = ClientEndpoint(parser.head, in: bytes) {
                return self.answer(of: endpoint, parser.head, facts: facts, rules, bytes)
            }
            let deferrals = rules.deferrals(
                on: parser.head,
                facts: facts,
                in: bytes,
                address: self.address
            )
            let verdict = rules.verdict(
                on: parser.head,
                facts: facts,
                in: bytes,
                address: self.address,
                last: &last
            )
            if let denial = rules.denial(of: verdict, on: parser.head, in: bytes) {
                let text = Self.text(of: denial, isHead: facts.isHead)
                return .denied(verdict.decision, deferrals, answer: text)
            }
            return .passed(
                verdict.decision,
                deferrals,
                upstreamHead: self.upstreamHead(parser.head, facts: facts, bytes, verdict),
                addedFields: String(decoding: verdict.clientFields.text, as: UTF8.self)
            )
        } catch {
            return .refused(GateAnswer(error))
        }
    }

    private func answer(
        of endpoint: ClientEndpoint,
        _ head: RequestHead,
        facts: RequestFacts,
        _ rules: WorkerRules,
        _ bytes: Span<UInt8>
    ) -> Outcome {
        let vary = rules.ruleSet.answerInputs
        var answer = rules.endpointAnswer(
            endpoint,
            on: head,
            facts: facts,
            in: bytes,
            confirmed: [:]
        )
        var decision: Decision?
        if answer == nil,
            let status = rules.launchStatus(on: head, in: bytes, address: self.address)
        {
            decision = status.decision
            // The first event has the same content as the status response.
            let tags = head.entityTags(of: "if-none-match", in: bytes)
            answer =
                endpoint == .events
                ? EndpointAnswer.events(vary: vary, isChunked: false)
                : EndpointAnswer.status(status, vary: vary, knownTags: tags)
        }
        let text = Self.text(of: answer ?? EndpointAnswer.badPath, isHead: facts.isHead)
        return .answered(decision, answer: text)
    }

    private static func text(of answer: RenderedAnswer, isHead: Bool) -> String {
        let bytes = answer.head + Array("\r\n".utf8) + (isHead ? [] : answer.body)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func upstreamHead(
        _ head: RequestHead,
        facts: RequestFacts,
        _ bytes: Span<UInt8>,
        _ verdict: Verdict
    ) -> String {
        var buffer = ByteBuffer()
        let origin = ClientAddress(
            try? SocketAddress(ipAddress: self.address, port: 0),
            trusted: .none
        )
        let request = ForwardedRequest(
            head,
            facts: facts,
            in: bytes,
            verdict: verdict,
            origin: origin,
            upstreamAuthority: "upstream",
            newRequestID: { RequestID(high: 0, low: 0) }
        )
        RequestHeadWriter.write(request, into: &buffer)
        return String(buffer: buffer)
    }
}
