import GateProxy
import GateWire
import NIOCore

/// Checks that an HTTP/1.1 head that is written for HTTP/2 and parsed again is the same head (RFC 9113 sections 8.2 and
/// 8.3), with the same body framing.
enum HeadsBetweenVersions {
    /// Checks a request in the formats for HTTP/1.1 and HTTP/2 backends; `head` is the parsed HTTP/1.1 text.
    static func check(
        _ request: ForwardedRequest,
        isWrittenAs head: RequestHead,
        _ facts: RequestFacts,
        in bytes: [UInt8]
    ) throws(Finding) {
        // HTTP/2 requires a non-empty authority (RFC 9113 section 8.3.1).
        guard let host = facts.hostLine.map({ head.fields.lines[$0] }),
            host.valueStart < host.valueEnd
        else { return }
        for isSecure in [false, true] {
            var block = ByteBuffer()
            block.write(RequestBlockWriter(request, isSecure: isSecure))
            let list = try self.list(block, names: RequestHeadPeer.table)
            let endsStream = facts.framing == .none
            guard let read = HeaderBlockHead(list, endsStream: endsStream) else {
                throw Finding("the block of a request is refused: \(block.readableBytesView)")
            }
            try read.checkIsSame(head, facts, in: bytes)
        }
    }

    /// Checks the head of a backend's response.
    static func check(
        _ head: ResponseHead,
        _ facts: ResponseFacts,
        in bytes: [UInt8],
        answersHead: Bool
    ) throws(Finding) {
        // HTTP/2 has no 101 (RFC 9113 section 8.6).
        guard head.status != 101 else { return }
        let endsStream = !head.isInterim && facts.framing == .none
        var block = ByteBuffer()
        block.writeHeaderBlock(fields: head.fields.lines.count, bytes: head.end) {
            HTTP2ResponseBlock.write(
                head,
                facts: facts,
                bytes: bytes.span,
                endsStream: endsStream,
                into: &$0
            )
        }
        var list = try self.list(block, names: .response)
        var read = ResponseHead()
        do throws(MessageFault) {
            _ = try HTTP2ResponseHead.read(
                &list,
                endsStream: endsStream,
                answersHead: answersHead,
                limits: self.limits,
                into: &read
            )
        } catch {
            throw Finding("the block of a response is refused: \(error)")
        }
        try self.checkIsSame(read, in: list.bytes, head, facts, in: bytes, answersHead)
        try self.checkWritten(read, in: list.bytes, answersHead: answersHead)
    }

    /// Checks that any fields, if they are accepted as a response head, are the same head for an HTTP/1.1 client.
    static func check(
        responseIn list: HeaderList,
        endsStream: Bool,
        answersHead: Bool
    ) throws(Finding) {
        var list = list
        var head = ResponseHead()
        let content = try? HTTP2ResponseHead.read(
            &list,
            endsStream: endsStream,
            answersHead: answersHead,
            limits: .defaults,
            into: &head
        )
        guard let content else { return }
        let facts = try self.facts(of: head, in: list.bytes, answersHead)
        let framing: BodyFraming =
            switch content {
            case .none, .length(0): .none
            case .length(let length): .length(length)
            case .any: .chunked
            }
        try expect(facts.framing, is: framing, "framing of \(list.bytes)")
        try self.checkWritten(head, in: list.bytes, answersHead: answersHead)
    }

    /// Checks an HTTP/2 head as written for an HTTP/1.1 client, with the gate's strict parser.
    private static func checkWritten(
        _ head: ResponseHead,
        in bytes: [UInt8],
        answersHead: Bool
    ) throws(Finding) {
        let facts = try self.facts(of: head, in: bytes, answersHead)
        var out = ByteBuffer()
        ResponseHeadWriter.write(
            head,
            facts: facts,
            bytes: bytes.span,
            connection: .keep,
            removesFraming: false,
            adding: [],
            into: &out
        )
        let written = Array(out.readableBytesView)
        var parser = ResponseHeadParser(limits: self.limits)
        let text = String(reflecting: String(decoding: written, as: UTF8.self))
        try expect(parser.parse(written.span), is: .complete, "reading \(text)")
        try expect(parser.head.end, is: written.count, "the end of \(text)")
        try self.checkIsSame(parser.head, in: written, head, facts, in: bytes, answersHead)
    }

    /// Checks that the head `read` is equivalent to `original`.
    private static func checkIsSame(
        _ read: ResponseHead,
        in written: [UInt8],
        _ original: ResponseHead,
        _ facts: ResponseFacts,
        in bytes: [UInt8],
        _ answersHead: Bool
    ) throws(Finding) {
        let text = String(reflecting: String(decoding: written, as: UTF8.self))
        try expect(read.status, is: original.status, "the status of \(text)")
        // In HTTP/2, a close-delimited body ends with its stream, and it is chunked after the conversion.
        let framing = facts.framing == .untilClose ? .chunked : facts.framing
        let readFacts = try self.facts(of: read, in: written, answersHead)
        try expect(readFacts.framing, is: framing, "framing of \(text)")
        try expect(
            self.fields(of: read, in: written) { _ in true },
            is: self.fields(of: original, in: bytes) {
                !facts.connection.nominates($0, in: bytes.span)
            },
            "fields of \(text)"
        )
    }

    private static func facts(
        of head: ResponseHead,
        in bytes: [UInt8],
        _ answersHead: Bool
    ) throws(Finding) -> ResponseFacts {
        do throws(MessageFault) {
            return try ResponseFacts(head, in: bytes.span, answersHead: answersHead)
        } catch {
            throw Finding("ambiguous: \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private static let limits = HeadLimits(bytes: 1 << 20, fields: 1 << 20, target: 1 << 20)

    private static func list(
        _ block: ByteBuffer,
        names: FieldNameTable
    ) throws(Finding) -> HeaderList {
        var list = HeaderList()
        var decoder = HPACKDecoder(names: names)
        do {
            try decoder.decode(block.readableBytesUInt8Span, into: &list, limit: .max)
        } catch {
            throw Finding("the block cannot be decoded: \(error)")
        }
        return list
    }

    /// Returns the end-to-end fields, with their names in lower case.
    private static func fields(
        of head: ResponseHead,
        in bytes: [UInt8],
        where isKept: (FieldLine) -> Bool
    ) -> [String] {
        head.fields.lines.filter { $0.role == .other && isKept($0) }.map { line in
            let name = bytes.text(from: line.start, to: line.nameEnd).lowercased()
            return "\(name): \(bytes.text(from: line.valueStart, to: line.valueEnd))"
        }
    }
}

extension ByteBuffer {
    mutating func write(_ writer: RequestBlockWriter) {
        self.writeHeaderBlock(fields: writer.maxFields, bytes: writer.maxBytes) {
            writer.write(into: &$0)
        }
    }
}
