import GatePolicy
import GateWire
import NIOCore

/// The answer to all clients of a class, but for the version that each states.
///
/// To choose the words and to put them in their form costs as much as many requests. A client that makes up a version for
/// each request gets them for the price of a copy, straight to where they are sent from.
extension RenderedAnswer {
    /// Stands where the version of a client is to stand; no text holds it by chance.
    static let standIn = (0..<4)
        .map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()

    /// Takes apart an answer that has the stand-in in the place of the version.
    ///
    /// - Returns: `nil` if it stands in the head, too.
    convenience init?(pattern answer: Answer) {
        let standIn = Array(Self.standIn.utf8)
        let fields = RenderedAnswer(
            status: answer.status,
            fields: answer.fields,
            body: nil,
            sendsUpgrade: answer.sendsUpgrade
        )
        guard fields.head.places(of: standIn).isEmpty else { return nil }
        let text = Self.hasBody(answer.status) ? answer.body : []
        var (body, gaps, start): ([UInt8], [Int], Int) = ([], [], 0)
        for place in text.places(of: standIn) {
            body += text[start..<place]
            gaps.append(body.count)
            start = place + standIn.count
        }
        body += text[start...]
        var head = fields.head
        if gaps.isEmpty, Self.hasBody(answer.status) { Self.append(length: body.count, to: &head) }
        self.init(fields, head: head, body: body, gaps: gaps)
    }

    /// The number of bytes of the body for a client with this version.
    func bodyCount(with version: Span<UInt8>) -> Int {
        self.body.count + self.gaps.count * version.count
    }

    /// Hands over the pieces of the body for a client with this version.
    @inline(__always)
    func forEachPiece(with version: Span<UInt8>, _ use: (Span<UInt8>) -> Void) {
        let text = self.body
        let body = text.span
        var start = 0
        for index in self.gaps.indices {
            let gap = self.gaps[index]
            use(body.extracting(start..<gap))
            use(version)
            start = gap
        }
        use(body.extracting(start..<body.count))
    }

    /// The answer to a client with this version.
    func filled(with version: Span<UInt8>) -> RenderedAnswer {
        guard !self.isWhole else { return self }
        var body: [UInt8] = []
        body.reserveCapacity(self.bodyCount(with: version))
        self.forEachPiece(with: version) { body.append($0) }
        var head = self.head
        Self.append(length: body.count, to: &head)
        return RenderedAnswer(self, head: head, body: body, gaps: [], block: self.block)
    }

    /// Writes all of it for HTTP/1.1 to a client with this version, making room once.
    ///
    /// `end`: the end of a line, the last field line, and the empty line behind it.
    func write(with version: Span<UInt8>, end: [UInt8], into buffer: inout ByteBuffer) {
        let count = self.bodyCount(with: version)
        let most = self.head.count + Self.lengthSpace + end.count + count
        buffer.writeWithOutputRawSpan(minimumWritableBytes: most) { out in
            out.writeBytes(self.head)
            out.writeStaticString("Content-Length: ")
            out.write(decimal: count)
            out.writeBytes(end)
            self.forEachPiece(with: version) { out.write($0, from: 0, to: $0.count) }
        }
    }

    /// Bytes of the name and the value of the length at most.
    private static let lengthSpace = 40
}

extension [UInt8] {
    /// Where a text begins, each time that it is there.
    fileprivate func places(of text: [UInt8]) -> [Int] {
        var places: [Int] = []
        var index = 0
        while index + text.count <= self.count {
            if self[index..<index + text.count].elementsEqual(text) {
                places.append(index)
                index += text.count
            } else {
                index += 1
            }
        }
        return places
    }
}
