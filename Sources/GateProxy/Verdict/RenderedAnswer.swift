import GatePolicy
import GateWire

/// A response of the gate as bytes, except for the parts that differ between requests.
///
/// A class, so that passing it on takes a single reference count.
final class RenderedAnswer: Sendable, Equatable {
    let status: Int
    /// The status line and the field lines, without the empty line; without `Content-Length` where the body has gaps.
    let head: [UInt8]
    let body: [UInt8]
    /// The offsets in the body at which the version of the client is inserted, in ascending order; empty if there are none.
    let gaps: [Int]
    /// The head as an HTTP/2 header block; `nil` for responses that are too rare to render it in advance.
    let block: HTTP2AnswerBlock?
    /// Whether HTTP/1.1 clients get an `Upgrade` field.
    let sendsUpgrade: Bool

    convenience init(_ answer: Answer) {
        let text = RenderedAnswer(
            status: answer.status,
            fields: answer.fields,
            body: answer.body,
            sendsUpgrade: answer.sendsUpgrade
        )
        self.init(text, head: text.head, body: text.body, gaps: [])
    }

    /// Creates a response that is sent often, with its header block.
    ///
    /// `block`: the header block, if it was rendered before.
    init(
        _ answer: RenderedAnswer,
        head: [UInt8],
        body: [UInt8],
        gaps: [Int],
        block: HTTP2AnswerBlock? = nil
    ) {
        self.status = answer.status
        self.head = head
        self.body = body
        self.gaps = gaps
        self.block = block ?? HTTP2AnswerBlock(status: answer.status, head)
        self.sendsUpgrade = answer.sendsUpgrade
    }

    /// Creates a response without a header block; `body` is `nil` if the response has no length.
    convenience init(
        status: Int,
        fields: [HeaderField],
        body: [UInt8]?,
        sendsUpgrade: Bool = false
    ) {
        let body = Self.hasBody(status) ? body : nil
        var head = Array(StatusLine.text(status).utf8) + Self.lines(fields)
        if let body { Self.append(length: body.count, to: &head) }
        self.init(status: status, head: head, body: body ?? [], sendsUpgrade: sendsUpgrade)
    }

    convenience init(_ answer: GateAnswer) {
        let body = Array(answer.body.utf8)
        let retryAfter = answer.retryAfter.map { "Retry-After: \($0)\r\n" } ?? ""
        let head =
            StatusLine.text(answer.status) + "Content-Type: application/problem+json\r\n"
            + "Cache-Control: no-store\r\n\(retryAfter)Content-Length: \(body.count)\r\n"
        self.init(status: answer.status, head: Array(head.utf8), body: body, sendsUpgrade: false)
    }

    init(status: Int, head: [UInt8], body: [UInt8], sendsUpgrade: Bool) {
        self.status = status
        self.head = head
        self.body = body
        self.gaps = []
        self.block = nil
        self.sendsUpgrade = sendsUpgrade
    }

    /// Whether the body has no gaps.
    var isWhole: Bool { self.gaps.isEmpty }

    static func == (left: RenderedAnswer, right: RenderedAnswer) -> Bool {
        left.status == right.status && left.head == right.head && left.body == right.body
            && left.gaps == right.gaps && left.sendsUpgrade == right.sendsUpgrade
    }

    /// Appends the field line for the length of a body.
    static func append(length: Int, to head: inout [UInt8]) {
        head += "Content-Length: \(length)\r\n".utf8
    }

    /// Whether a status allows a body and its length (RFC 9110 8.6 and 15.4.5).
    static func hasBody(_ status: Int) -> Bool { status != 204 && status != 304 }

    /// The gRPC status as trailer fields, to end a response that has already started.
    var callTrailers: RenderedFields {
        let lines = String(decoding: self.head, as: UTF8.self).split(separator: "\r\n")
            .filter { $0.hasPrefix("grpc-") }
        return RenderedFields(
            lines.compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[colon...].dropFirst(2)
                return HeaderField(name: String(line[..<colon]), value: String(value))
            }
        )
    }

    static func lines(_ fields: [HeaderField]) -> [UInt8] {
        var lines: [UInt8] = []
        for field in fields {
            lines += field.name.utf8
            lines += ": ".utf8
            lines += field.value.utf8
            lines += "\r\n".utf8
        }
        return lines
    }

    /// Returns the field lines that allow a web app on another origin to read the response.
    static func crossOriginLines(_ origin: String) -> [UInt8] {
        self.lines(Answer.crossOriginFields(origin: origin))
    }
}
