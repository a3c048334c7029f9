import GatePolicy
import GateProxy
import GateWire
import NIOCore

/// A header list as a request head.
///
/// Written for an HTTP/1.1 or HTTP/2 backend and parsed again, it must be the same head, without trailing bytes.
struct HeaderBlockHead {
    private let bytes: [UInt8]
    private let head: RequestHead
    private let facts: RequestFacts
    private let body: HTTP2RequestHead.Body

    private static let limits = HeadLimits(bytes: 1 << 20, fields: 1 << 20, target: 1 << 20)

    /// - Returns: `nil` if the list is rejected.
    init?(_ list: HeaderList, endsStream: Bool) {
        var list = list
        var head = RequestHead()
        do throws(HTTP2RequestHead.Fault) {
            self.body = try HTTP2RequestHead.read(
                &list,
                endsStream: endsStream,
                limits: Self.limits,
                into: &head
            )
        } catch {
            return nil
        }
        guard let facts = try? RequestFacts(head, in: list.bytes.span) else { return nil }
        self.bytes = list.bytes
        self.head = head
        self.facts = facts
    }

    func check() throws(Finding) {
        let framing: BodyFraming =
            switch self.body {
            case .none, .length(0), .webSocket: .none
            case .length(let length): .length(length)
            case .any: .chunked
            }
        try expect(self.facts.framing, is: framing, "the body")
        try expect(self.facts.connection.nominated.isEmpty, "options of a connection")
        try expect(self.facts.offersUpgrade, is: self.body == .webSocket, "an upgrade")
        try self.checkText()
        // WebSockets are never forwarded to an HTTP/2 backend.
        if self.body != .webSocket { try self.checkBlock() }
    }

    private var request: ForwardedRequest {
        let bytes = self.bytes
        return ForwardedRequest(
            self.head,
            facts: self.facts,
            in: bytes.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientAddress(nil, trusted: .none),
            upstreamAuthority: "b",
            newRequestID: { RequestID(high: 1, low: 2) }
        )
    }

    /// Checks the head for an HTTP/1.1 backend.
    private func checkText() throws(Finding) {
        var out = ByteBuffer()
        RequestHeadWriter.write(self.request, into: &out)
        let written = Array(out.readableBytesView)
        let text = String(reflecting: String(decoding: written, as: UTF8.self))
        var parser = RequestHeadParser(limits: Self.limits)
        let progress = parser.parse(written.span, table: RequestHeadPeer.table)
        try expect(progress, is: .complete, "reading \(text)")
        try expect(parser.head.end, is: written.count, "the end of \(text)")
        guard let facts = try? RequestFacts(parser.head, in: written.span) else {
            throw Finding("ambiguous: \(text)")
        }
        try self.check(parser.head, facts, in: written, text)
    }

    /// Checks the head for an HTTP/2 backend.
    private func checkBlock() throws(Finding) {
        var block = ByteBuffer()
        block.write(RequestBlockWriter(self.request, isSecure: true))
        var list = HeaderList()
        var decoder = HPACKDecoder(names: RequestHeadPeer.table)
        var head = RequestHead()
        do {
            try decoder.decode(block.readableBytesUInt8Span, into: &list, limit: .max)
            _ = try HTTP2RequestHead.read(
                &list,
                endsStream: self.body == .none,
                limits: Self.limits,
                into: &head
            )
            let facts = try RequestFacts(head, in: list.bytes.span)
            try self.check(head, facts, in: list.bytes, "the block")
        } catch let finding as Finding {
            throw finding
        } catch {
            throw Finding("the block cannot be decoded: \(error)")
        }
    }

    /// Checks that another HTTP/1.1 head has the same content.
    func checkIsSame(
        _ head: RequestHead,
        _ facts: RequestFacts,
        in bytes: [UInt8]
    ) throws(Finding) {
        try self.check(head, facts, in: bytes, "the head before")
    }

    private func check(
        _ head: RequestHead,
        _ facts: RequestFacts,
        in bytes: [UInt8],
        _ text: String
    ) throws(Finding) {
        try expect(facts.framing, is: self.facts.framing, "framing of \(text)")
        try expect(facts.isHead, is: self.facts.isHead, "method of \(text)")
        try expect(facts.offersUpgrade, is: self.facts.offersUpgrade, "upgrade of \(text)")
        try expect(
            bytes.text(from: head.methodStart, to: head.methodEnd),
            is: self.bytes.text(from: self.head.methodStart, to: self.head.methodEnd),
            "method of \(text)"
        )
        try expect(
            bytes.text(from: head.target.start, to: head.target.end),
            is: self.bytes.text(from: self.head.target.start, to: self.head.target.end),
            "target of \(text)"
        )
        let fields = Self.plainFields(of: head, in: bytes)
        try expect(fields, is: Self.plainFields(of: self.head, in: self.bytes), "fields of \(text)")
    }

    private static func plainFields(of head: RequestHead, in bytes: [UInt8]) -> [String] {
        head.fields.lines
            .filter { line in
                switch line.role {
                case .other, .host, .identity, .contentType, .accept: true
                default: false
                }
            }
            .map { line in
                let name = bytes.text(from: line.start, to: line.nameEnd).lowercased()
                let value = bytes.text(from: line.valueStart, to: line.valueEnd)
                return "\(line.role == .host ? "host" : name): \(value)"
            }
            .sorted()
    }
}
