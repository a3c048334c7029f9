import GatePolicy
import GateWire
import NIOCore

/// Responses that all clients of a class share, into which each client's version is inserted.
///
/// Choosing and rendering the texts costs as much as serving many requests. The version is inserted
/// while the response is copied to the output buffer, so a flood of unknown versions causes no
/// rendering.
extension RenderedAnswer {
    /// Creates a response from which the placeholders in the body are removed; `gaps` contains their offsets.
    ///
    /// Returns `nil` if the head also contains a placeholder.
    convenience init?(pattern answer: Answer) {
        let fields = RenderedAnswer(
            status: answer.status,
            fields: answer.fields,
            body: nil,
            sendsUpgrade: answer.sendsUpgrade
        )
        guard VersionGaps(cutFrom: fields.head).places.isEmpty else { return nil }
        let body = VersionGaps(cutFrom: Self.hasBody(answer.status) ? answer.body : [])
        var head = fields.head
        if body.places.isEmpty, Self.hasBody(answer.status) {
            Self.append(length: body.text.count, to: &head)
        }
        self.init(fields, head: head, body: body.text, gaps: body.places)
    }

    /// Returns the length of the body in bytes, with the version inserted.
    func bodyCount(with version: Span<UInt8>) -> Int {
        self.body.count + self.gaps.count * version.count
    }

    /// Calls `use` with consecutive parts of the body, including the inserted versions.
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

    /// Returns the response with the version inserted.
    func filled(with version: Span<UInt8>) -> RenderedAnswer {
        guard !self.isWhole else { return self }
        var body: [UInt8] = []
        body.reserveCapacity(self.bodyCount(with: version))
        self.forEachPiece(with: version) { body.append($0) }
        var head = self.head
        Self.append(length: body.count, to: &head)
        return RenderedAnswer(self, head: head, body: body, gaps: [], block: self.block)
    }

    /// Writes the complete HTTP/1.1 response with the version inserted, in a single reservation of space.
    ///
    /// `end` is the end of the head after the value of `Content-Length`: CR LF, the last field
    /// line, and the empty line.
    func write(with version: Span<UInt8>, end: [UInt8], into buffer: inout ByteBuffer) {
        let count = self.bodyCount(with: version)
        let most = self.head.count + Self.lengthSpace + end.count + count
        let (text, gaps) = (self.body, self.gaps)
        buffer.writeWithOutputRawSpan(minimumWritableBytes: most) { out in
            out.writeBytes(self.head)
            out.writeStaticString("Content-Length: ")
            out.write(decimal: count)
            out.writeBytes(end)
            out.write(text.span, inserting: version, at: gaps.span)
        }
    }

    /// The maximum length in bytes of `Content-Length` and its value.
    private static let lengthSpace = 40
}
