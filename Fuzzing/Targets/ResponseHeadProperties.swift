import GateWire
import NIOCore

/// Properties of any bytes as a response head.
struct ResponseHeadProperties {
    private let input: [UInt8]
    private let whole: ResponseHeadParser.Progress
    private let head: ResponseHead

    init(_ input: [UInt8]) {
        var parser = ResponseHeadParser()
        self.input = input
        self.whole = parser.parse(input.span)
        self.head = parser.head
    }

    /// Limits small enough for inputs of ordinary size to reach.
    private static let tight = HeadLimits(bytes: 256, fields: 3, target: 16)

    func check() throws(Finding) {
        try self.checkPieces(limits: .defaults)
        try self.checkPieces(limits: Self.tight)
        guard self.whole == .complete else { return }
        try self.checkBounds()
        for answersHead in [false, true] {
            guard let facts = self.facts(of: self.head, in: self.input, answersHead) else {
                continue
            }
            try self.checkFraming(facts, answersHead)
            try HeadsBetweenVersions.check(
                self.head,
                facts,
                in: self.input,
                answersHead: answersHead
            )
            for connection in [ResponseHeadWriter.Connection.keep, .keepExplicitly, .close] {
                let written = self.written(facts, connection)
                try self.checkWritten(written, facts, answersHead, connection)
            }
        }
    }

    /// Checks that parsing in parts has the same result, although a malformed head may be rejected earlier.
    private func checkPieces(limits: HeadLimits) throws(Finding) {
        var whole = ResponseHeadParser(limits: limits)
        let expected = whole.parse(self.input.span)
        for ends in Splits(self.input) {
            var parser = ResponseHeadParser(limits: limits)
            var progress = ResponseHeadParser.Progress.incomplete
            for end in ends where progress == .incomplete {
                progress = parser.parse(self.input.span.extracting(first: end))
            }
            switch (expected, progress) {
            case (.malformed, .malformed): break
            case (.complete, .complete):
                try expect(
                    parser.head == whole.head,
                    "the head differs when it is split at \(ends)"
                )
                parser.reset()
                _ = parser.parse(self.input.span)
                try expect(parser.head == whole.head, "the head differs the second time")
            default:
                try expect(progress, is: expected, "in pieces \(ends)")
            }
        }
    }

    private func checkBounds() throws(Finding) {
        let head = self.head
        var places = [0, head.statusStart, head.statusEnd]
        for line in head.fields.lines {
            places += [line.start, line.nameEnd, line.valueStart, line.valueEnd, line.end]
        }
        places += [head.end - 2, head.end, self.input.count]
        try expect(zip(places, places.dropFirst()).allSatisfy(<=), "places \(places)")
        try expect((100...999).contains(head.status), "the status \(head.status)")
    }

    private func facts(
        of head: ResponseHead,
        in bytes: [UInt8],
        _ answersHead: Bool
    ) -> ResponseFacts? {
        try? ResponseFacts(head, in: bytes.span, answersHead: answersHead)
    }

    /// Checks that a response that cannot have a body has none (RFC 9112 section 6.3).
    private func checkFraming(_ facts: ResponseFacts, _ answersHead: Bool) throws(Finding) {
        let status = self.head.status
        if answersHead || status < 200 || status == 204 || status == 304 {
            try expect(facts.framing, is: .none, "the body of a \(status)")
        }
    }

    private func written(
        _ facts: ResponseFacts,
        _ connection: ResponseHeadWriter.Connection
    ) -> [UInt8] {
        let bytes = self.input
        var out = ByteBuffer()
        ResponseHeadWriter.write(
            self.head,
            facts: facts,
            bytes: bytes.span,
            connection: connection,
            removesFraming: false,
            adding: Array("X-VersionGate: recommend\r\n".utf8),
            into: &out
        )
        return Array(out.readableBytesView)
    }

    /// Checks that the bytes for the client are a single unambiguous head, with the same body framing.
    private func checkWritten(
        _ bytes: [UInt8],
        _ facts: ResponseFacts,
        _ answersHead: Bool,
        _ connection: ResponseHeadWriter.Connection
    ) throws(Finding) {
        var limits = HeadLimits.defaults
        limits.bytes += 4096
        limits.fields += 16
        var parser = ResponseHeadParser(limits: limits)
        let text = String(reflecting: String(decoding: bytes, as: UTF8.self))
        try expect(parser.parse(bytes.span), is: .complete, "parsing the written head: \(text)")
        let head = parser.head
        try expect(head.end, is: bytes.count, "bytes follow the end of the written head: \(text)")
        try expect(head.status, is: self.head.status, "the written status: \(text)")
        guard let written = self.facts(of: head, in: bytes, answersHead) else {
            throw Finding("the written head is ambiguous: \(text)")
        }
        try expect(written.framing, is: facts.framing, "framing of \(text)")
        try expect(written.keepsAlive, is: connection != .close, "the connection of \(text)")
        let marks = head.fields.lines.count { $0.role == .gateOwned }
        try expect(marks, is: 1, "the number of the gate's own fields in \(text)")
    }
}
