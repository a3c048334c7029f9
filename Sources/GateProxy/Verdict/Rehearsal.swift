package import GatePolicy
import NIOCore

/// What the gate would do with one request, worked out by the code that serves real ones and
/// without a socket.
package struct Rehearsal: Sendable {
    package enum Outcome: Sendable {
        /// No acceptable HTTP.
        case refused(GateAnswer)
        /// The client gets this, byte for byte but for `Date` and what depends on the connection.
        case denied(Decision, answer: String)
        /// The backend gets this head; the fields are added to its answer.
        case passed(Decision, upstreamHead: String, addedFields: String)
    }

    private let ruleSet: RuleSet
    private let now: Timestamp?
    private let address: String

    /// Rehearses at a time, which is now if none is given, with a client at an address.
    package init(ruleSet: RuleSet, at now: Timestamp? = nil, address: String = "192.0.2.1") {
        self.ruleSet = ruleSet
        self.now = now
        self.address = address
    }

    /// Judges a request head, from the request line to the empty line.
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
            let verdict = rules.verdict(
                on: parser.head,
                facts: facts,
                in: bytes,
                address: self.address,
                last: &last
            )
            if let denial = verdict.denial {
                let answer = denial.head + Array("\r\n".utf8) + (facts.isHead ? [] : denial.body)
                return .denied(verdict.decision, answer: String(decoding: answer, as: UTF8.self))
            }
            return .passed(
                verdict.decision,
                upstreamHead: self.upstreamHead(parser.head, facts: facts, bytes, verdict),
                addedFields: String(decoding: verdict.clientFields, as: UTF8.self)
            )
        } catch {
            return .refused(GateAnswer(error))
        }
    }

    private func upstreamHead(
        _ head: RequestHead,
        facts: RequestFacts,
        _ bytes: Span<UInt8>,
        _ verdict: Verdict
    ) -> String {
        var buffer = ByteBuffer()
        let origin = ClientOrigin(
            try? SocketAddress(ipAddress: self.address, port: 0),
            trusted: .none
        )
        RequestHeadWriter(origin: origin, upstreamAuthority: "upstream").write(
            head,
            facts: facts,
            bytes: bytes,
            verdict: verdict,
            newRequestID: { RequestID(high: 0, low: 0) },
            into: &buffer
        )
        return String(buffer: buffer)
    }
}
