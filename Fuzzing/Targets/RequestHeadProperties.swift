import GatePolicy
import GateProxy
import GateWire
import NIOCore

/// Properties of any bytes as a request head.
struct RequestHeadProperties {
    private let input: [UInt8]
    private let whole: RequestHeadParser.Progress
    private let head: RequestHead

    init(_ input: [UInt8]) {
        var parser = RequestHeadParser()
        self.input = input
        self.whole = parser.parse(input.span, table: RequestHeadPeer.table)
        self.head = parser.head
    }

    /// Limits small enough for inputs of ordinary size to reach.
    private static let tight = HeadLimits(bytes: 256, fields: 3, target: 16)

    func check() throws(Finding) {
        try self.checkPieces(limits: .defaults)
        try self.checkPieces(limits: Self.tight)
        guard self.whole == .complete else { return }
        try self.checkBounds()
        try self.checkRepetition()
        if let disagreement = RequestHeadPeer.disagreement(self.input) {
            throw Finding(disagreement)
        }
        guard let facts = self.facts(of: self.head, in: self.input) else { return }
        let form = FormPeer.form(of: self.head, in: self.input)
        try expect(facts.answerForm == form, "\(facts.answerForm) in place of \(form)")
        for isTrusted in [false, true] {
            try self.checkWritten(self.request(facts, isTrusted: isTrusted), facts)
        }
    }

    /// Checks that parsing in parts has the same result, although a malformed head may be rejected earlier.
    private func checkPieces(limits: HeadLimits) throws(Finding) {
        var whole = RequestHeadParser(limits: limits)
        let expected = whole.parse(self.input.span, table: RequestHeadPeer.table)
        for ends in Splits(self.input) {
            var parser = RequestHeadParser(limits: limits)
            var progress = RequestHeadParser.Progress.incomplete
            for end in ends where progress == .incomplete {
                let piece = self.input.span.extracting(first: end)
                progress = parser.parse(piece, table: RequestHeadPeer.table)
            }
            switch (expected, progress) {
            case (.malformed, .malformed): break
            case (.complete, .complete):
                try expect(
                    parser.head == whole.head,
                    "the head differs when it is split at \(ends)"
                )
            default:
                try expect(progress, is: expected, "in pieces \(ends)")
            }
        }
    }

    /// Checks that all ranges in the head are within its bytes and in order.
    private func checkBounds() throws(Finding) {
        let head = self.head
        var places = [
            0, head.methodStart, head.methodEnd, head.target.start, head.target.end,
            head.fieldsStart,
        ]
        if head.target.form == .absolute {
            let authority = [head.target.authorityStart, head.target.authorityEnd]
            places.insert(contentsOf: authority, at: 3)
        }
        for line in head.fields.lines {
            places += [line.start, line.nameEnd, line.valueStart, line.valueEnd, line.end]
        }
        places += [head.end - 2, head.end, self.input.count]
        try expect(zip(places, places.dropFirst()).allSatisfy(<=), "places \(places)")
        try expect(head.methodStart < head.methodEnd, "there is no method")
    }

    /// Checks that a parser that has parsed this head or another one before has the same result as a new parser.
    private func checkRepetition() throws(Finding) {
        var parser = RequestHeadParser()
        let another = Array("PUT /other HTTP/1.0\r\nHost: b\r\nA: b\r\n\r\n".utf8)
        for head in [self.input, another, self.input, self.input] {
            let progress = parser.parse(head.span, table: RequestHeadPeer.table)
            try expect(progress, is: .complete, "after another head")
            let isSame = head == another || parser.head == self.head
            try expect(isSame, "the head differs when it follows another head")
            parser.reset()
        }
    }

    private func facts(of head: RequestHead, in bytes: [UInt8]) -> RequestFacts? {
        try? RequestFacts(head, in: bytes.span)
    }

    private func request(_ facts: RequestFacts, isTrusted: Bool) -> ForwardedRequest {
        let peer = try? SocketAddress(ipAddress: "192.0.2.9", port: 1)
        let trusted = isTrusted ? TrustedProxies(["192.0.2.0/24"]) : nil
        let bytes = self.input
        return ForwardedRequest(
            self.head,
            facts: facts,
            in: bytes.span,
            verdict: Verdict(decision: .preflight),
            origin: ClientAddress(peer, trusted: trusted ?? .none),
            upstreamAuthority: "backend:8080",
            newRequestID: { RequestID(high: 1, low: 2) }
        )
    }

    /// Checks that the bytes for the backend are a single unambiguous head, with the same body framing.
    private func checkWritten(
        _ request: ForwardedRequest,
        _ facts: RequestFacts
    ) throws(Finding) {
        var out = ByteBuffer()
        RequestHeadWriter.write(request, into: &out)
        let bytes = Array(out.readableBytesView)
        // The gate's own additions do not count toward the client's limits.
        var limits = HeadLimits.defaults
        limits.bytes *= 3
        limits.fields += 16
        var parser = RequestHeadParser(limits: limits)
        let progress = parser.parse(bytes.span, table: RequestHeadPeer.table)
        let text = String(reflecting: String(decoding: bytes, as: UTF8.self))
        try expect(progress, is: .complete, "parsing the written head: \(text)")
        let head = parser.head
        try expect(head.end, is: bytes.count, "bytes follow the end of the written head: \(text)")
        guard let written = self.facts(of: head, in: bytes) else {
            throw Finding("the written head is ambiguous: \(text)")
        }
        try expect(written.framing, is: facts.framing, "framing of \(text)")
        try expect(written.isHead, is: facts.isHead, "method of \(text)")
        try expect(written.hostLine != nil, "no Host in \(text)")
        let options = written.connection
        try expect(
            !options.close && !options.keepAlive
                && options.nominated == (facts.acceptsTrailers ? ["te"] : [])
                && written.acceptsTrailers == facts.acceptsTrailers
                && (!options.upgrade || facts.offersUpgrade),
            "Connection options from the client in \(text)"
        )
        let hopByHop = head.fields.lines.filter { $0.role == .hopByHop }
        try expect(hopByHop.isEmpty, "hop-by-hop fields from the client in \(text)")
        try self.checkKept(head, in: bytes, facts)
        // HTTP/2 has no protocol upgrade.
        guard !written.offersUpgrade else { return }
        try HeadsBetweenVersions.check(request, isWrittenAs: head, written, in: bytes)
    }

    /// Checks that the method, the path and all end-to-end fields are those from the client.
    private func checkKept(
        _ head: RequestHead,
        in bytes: [UInt8],
        _ facts: RequestFacts
    ) throws(Finding) {
        let method = self.input.text(from: self.head.methodStart, to: self.head.methodEnd)
        try expect(
            bytes.text(from: head.methodStart, to: head.methodEnd),
            is: method,
            "the written method"
        )
        let path = self.input.text(from: self.head.target.start, to: self.head.target.end)
        try expect(
            bytes.text(from: head.target.start, to: head.target.end),
            is: path.hasPrefix("/") || path == "*" ? path : "/" + path,
            "the written target"
        )
        let nominated = Set(facts.connection.nominated)
        let kept = Self.plainFields(of: self.head, in: self.input).filter { line in
            // Compares bytes, because a colon followed by a combining mark is another character.
            let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
            return !nominated.contains(String(Substring(name)).lowercased())
        }
        try expect(
            Self.plainFields(of: head, in: bytes),
            is: Array(kept),
            "the written fields"
        )
    }

    private static func plainFields(of head: RequestHead, in bytes: [UInt8]) -> [String] {
        head.fields.lines.filter { $0.role == .other }
            .map { bytes.text(from: $0.start, to: $0.end) }
    }
}
