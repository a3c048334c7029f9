import GateWire
import WireSamples

@testable import GateProxy

extension WorkerRules {
    /// The verdict on a request that is the first one of its connection.
    func verdict(onFirst text: String) throws -> Verdict {
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        return try self.verdict(on: text, parser: &parser, last: &last)
    }

    /// The verdict on the next request of a connection.
    func verdict(
        on text: String,
        parser: inout RequestHeadParser,
        last: inout RememberedVerdict?
    ) throws -> Verdict {
        let bytes = Array(text.utf8)
        parser.reset()
        let progress = parser.parse(bytes, table: self.table)
        guard progress == .complete else { throw RequestSample.Unreadable(progress: progress) }
        return self.verdict(
            on: parser.head,
            facts: try RequestFacts(parser.head, in: bytes.span),
            in: bytes.span,
            address: "192.0.2.1",
            last: &last
        )
    }
}
