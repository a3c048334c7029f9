import GatePolicy

/// An answer of the gate as bytes, but for what differs from request to request.
struct RenderedAnswer: Sendable {
    let status: Int
    /// The status line and the field lines, without the empty line.
    let head: [UInt8]
    let body: [UInt8]
    /// Whether a client of HTTP/1.1 is told a protocol to upgrade to.
    let sendsUpgrade: Bool

    init(_ answer: Answer) {
        self.init(
            status: answer.status,
            fields: answer.fields,
            body: answer.body,
            sendsUpgrade: answer.sendsUpgrade
        )
    }

    /// `body`: `nil` where nothing is said of its length.
    init(status: Int, fields: [HeaderField], body: [UInt8]?, sendsUpgrade: Bool = false) {
        // Neither has a body, nor a length of it (RFC 9110 sections 8.6 and 15.4.5).
        let body = status == 204 || status == 304 ? nil : body
        let length = body.map { HeaderField(name: "Content-Length", value: String($0.count)) }
        self.status = status
        self.head =
            Array(StatusLine.text(status).utf8) + Self.lines(fields + [length].compactMap(\.self))
        self.body = body ?? []
        self.sendsUpgrade = sendsUpgrade
    }

    /// What ends an answer of gRPC that has begun: the end of a chunked body, with the status of the
    /// call as its trailers.
    var callEnd: [UInt8] {
        let lines = String(decoding: self.head, as: UTF8.self).split(separator: "\r\n")
            .filter { $0.hasPrefix("grpc-") }
        return Array("0\r\n\(lines.map { "\($0)\r\n" }.joined())\r\n".utf8)
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

    /// The field lines that let a web app on another origin read an answer.
    static func crossOriginLines(_ origin: String) -> [UInt8] {
        self.lines(Answer.crossOriginFields(origin: origin))
    }
}
