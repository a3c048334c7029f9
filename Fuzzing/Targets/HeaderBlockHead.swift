import GateProxy
import NIOCore

/// A header list as the head of HTTP/1.1 that is made of it: whatever stood in the list, that is
/// one head and nothing behind it.
struct HeaderBlockHead {
    private let bytes: [UInt8]
    private let body: HTTP2RequestHead.Body
    private let isHead: Bool

    /// - Returns: `nil` for a list that is refused.
    init?(_ list: HeaderList, endsStream: Bool) {
        var out = ByteBuffer()
        do throws(HTTP2RequestHead.Malformed) {
            (self.body, self.isHead) = try HTTP2RequestHead.write(
                list,
                endsStream: endsStream,
                into: &out
            )
        } catch {
            return nil
        }
        self.bytes = Array(out.readableBytesView)
    }

    func check() throws(Finding) {
        let text = String(decoding: self.bytes, as: UTF8.self)
        var parser = RequestHeadParser(
            limits: HeadLimits(bytes: 1 << 20, fields: 1 << 20, target: 1 << 20)
        )
        switch parser.parse(self.bytes.span, table: RequestHeadPeer.table) {
        case .incomplete: throw Finding("no end of \(text)")
        case .malformed: return
        case .complete: break
        }
        try expect(parser.head.end, is: self.bytes.count, "the end of \(text)")
        guard let facts = try? RequestFacts(parser.head, in: self.bytes.span) else { return }
        try expect(facts.isHead, is: self.isHead, "the method of \(text)")
        let framing: BodyFraming =
            switch self.body {
            case .none: .none
            case .length(let length): .length(length)
            case .chunked: .chunked
            }
        // A body of no bytes is none.
        let nothing: [BodyFraming] = [.none, .length(0)]
        let hasNone = nothing.contains(facts.framing) && nothing.contains(framing)
        try expect(hasNone || facts.framing == framing, "\(facts.framing) of \(text)")
        try expect(facts.connection.nominated.isEmpty, "options of a connection in \(text)")
        try expect(!facts.offersUpgrade, "an upgrade in \(text)")
    }
}
