import GateWire
import WireSamples

@testable import GateProxy

extension WorkerRules {
    /// Returns the verdict on the first request of a connection.
    func verdict(onFirst text: String) throws -> Verdict {
        var parser = RequestHeadParser()
        var last: RememberedVerdict?
        return try self.verdict(on: text, parser: &parser, last: &last)
    }

    /// Returns the denial with the client's version; `nil` if the client is allowed.
    func denial(onFirst text: String) throws -> RenderedAnswer? {
        let verdict = try self.verdict(onFirst: text)
        let bytes = Array(text.utf8)
        var parser = RequestHeadParser()
        _ = parser.parse(bytes, table: self.table)
        return self.denial(of: verdict, on: parser.head, in: bytes.span)
    }

    /// Returns the verdict on the next request of a connection.
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
