import GatePolicy

/// The denial of all clients of a class, but for their versions.
///
/// To choose the words and to put them in their form costs as much as many requests; a client
/// that makes up a version for each request gets them for the price of a copy.
struct AnswerPattern: Sendable {
    /// Stands where the version of the client is to stand; no text holds it by chance.
    static let standIn = (0..<4)
        .map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()

    private let status: Int
    private let sendsUpgrade: Bool
    /// The pieces of the status line and the fields, but for the length of the body.
    private let head: [[UInt8]]
    /// `nil` for a status without a body.
    private let body: [[UInt8]]?

    /// Takes apart an answer that has the stand-in in the place of the version.
    init(_ answer: Answer) {
        let rendered = RenderedAnswer(
            status: answer.status,
            fields: answer.fields,
            body: nil,
            sendsUpgrade: answer.sendsUpgrade
        )
        let standIn = Array(Self.standIn.utf8)
        self.status = answer.status
        self.sendsUpgrade = answer.sendsUpgrade
        self.head = rendered.head.split(around: standIn)
        self.body =
            RenderedAnswer.hasBody(answer.status) ? answer.body.split(around: standIn) : nil
    }

    /// The answer to a client with this version.
    func filled(with version: Span<UInt8>) -> RenderedAnswer {
        let body: [UInt8]? =
            if let body = self.body { Self.fill(body, with: version, more: 0) } else { nil }
        var head = Self.fill(self.head, with: version, more: RenderedAnswer.lengthLineSpace)
        if let body { RenderedAnswer.append(length: body.count, to: &head) }
        return RenderedAnswer(
            status: self.status,
            head: head,
            body: body ?? [],
            sendsUpgrade: self.sendsUpgrade
        )
    }

    private static func fill(_ pieces: [[UInt8]], with text: Span<UInt8>, more: Int) -> [UInt8] {
        var count = more
        for index in pieces.indices { count += pieces[index].count + text.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for index in pieces.indices {
            if index > 0 { bytes.append(text) }
            let piece = pieces[index]
            bytes.append(piece.span)
        }
        return bytes
    }
}

extension [UInt8] {
    /// The pieces before, between and after all places of a text.
    fileprivate func split(around text: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var (start, index) = (0, 0)
        while index + text.count <= self.count {
            if self[index..<index + text.count].elementsEqual(text) {
                pieces.append(Array(self[start..<index]))
                index += text.count
                start = index
            } else {
                index += 1
            }
        }
        return pieces + [Array(self[start...])]
    }
}
