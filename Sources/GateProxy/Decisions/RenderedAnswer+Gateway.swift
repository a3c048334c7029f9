import GatePolicy
import GateWire

/// The responses to authorization requests over HTTP.
extension RenderedAnswer {
    /// The header field with the content of a denial, for gateways that drop the content.
    static let bodyFieldName = "X-VersionGate-Body"
    /// The header field with the status of a denial, for gateways that require a different one.
    static let statusFieldName = "X-VersionGate-Status"

    /// Creates the response that allows a request.
    ///
    /// It contains the fields that the gate would add to the request and to the backend's response. The status is 200,
    /// because Envoy takes no other one for permission.
    ///
    /// `added`: the field lines that depend on the client and not only on its verdict.
    convenience init(allowing verdict: Verdict, added: [HeaderField]) {
        var head = Self.allowedHead
        head += verdict.upstreamFields.text
        if !added.isEmpty { head += Self.lines(added) }
        head += verdict.clientFields.text
        self.init(status: 200, head: head, body: [], sendsUpgrade: false)
    }

    private static let allowedHead = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)

    /// Returns a denial as the gateway requires it.
    ///
    /// If the gateway drops the content, the content is in a header field. If the gateway requires another status, the
    /// status of the denial is in a header field.
    ///
    /// `decision`: the decision, which tells a denial from an error of the gateway.
    func denial(for gateway: Gateway, _ decision: Decision) -> RenderedAnswer {
        // Gateways take a 2xx status for permission.
        let status = self.failureStatus(for: decision)
        let sent = gateway.status(for: status)
        var fields = self.fieldLines
        Self.append("X-VersionGate-Decision", decision.kind.rawValue, to: &fields)
        if sent != status || gateway.dropsContent {
            Self.append(Self.statusFieldName, "\(status)", to: &fields)
        }
        var body = self.body
        if gateway.dropsContent {
            fields += Self.bodyFieldName.utf8
            fields += ": ".utf8
            let value = Self.fieldValue(of: body)
            fields += value.count <= Self.fieldLimit ? value : Self.shortBody(status, decision)
            fields += "\r\n".utf8
            body = []
        }
        Self.append(length: body.count, to: &fields)
        return RenderedAnswer(
            status: sent,
            head: Array(StatusLine.text(sent).utf8) + fields,
            body: body,
            sendsUpgrade: false
        )
    }

    /// The maximum size in bytes of a denial in a header field.
    ///
    /// A gateway takes a header section above its limit for a failure of the gate, and may then allow the request. The
    /// configuration in `docs/gateways` has a limit of 32 KiB.
    private static let fieldLimit = 24 * 1024

    /// The content in place of one that is too large for a header field.
    private static func shortBody(_ status: Int, _ decision: Decision) -> [UInt8] {
        let type = Denial(decision)?.type ?? "about:blank"
        let title = StatusLine.reason(status)
        return Array("{\"type\":\"\(type)\",\"title\":\"\(title)\",\"status\":\(status)}".utf8)
    }

    /// The field lines, without the status line and the length.
    var fieldLines: [UInt8] {
        var lines: [UInt8] = []
        lines.reserveCapacity(self.head.count + 64)
        let text = self.head
        let head = text.span
        head.forEachFieldLine { line in
            guard line.role != .contentLength else { return }
            lines.append(head.extracting(line.start..<line.end))
        }
        return lines
    }

    /// Returns a text as the value of a header field.
    ///
    /// Line breaks become spaces, and in JSON all other characters outside of printable ASCII become escape
    /// sequences (RFC 8259 7).
    private static func fieldValue(of body: [UInt8]) -> [UInt8] {
        let isJSON = body.first { $0 > ASCII.space } == UInt8(ascii: "{")
        var value: [UInt8] = []
        value.reserveCapacity(body.count + body.count / 4)
        guard isJSON else {
            value += body.map { $0 < 0x20 || $0 == 0x7F ? ASCII.space : $0 }
            return value
        }
        for scalar in String(decoding: body, as: UTF8.self).unicodeScalars {
            switch scalar.value {
            // Control characters occur only between tokens, where they are white space.
            case 0..<0x20: value.append(ASCII.space)
            case 0x20..<0x7F: value.append(UInt8(scalar.value))
            default:
                for unit in String(scalar).utf16 { value += Self.escapeSequence(of: unit) }
            }
        }
        return value
    }

    private static func escapeSequence(of unit: UInt16) -> [UInt8] {
        let digits = String(unit, radix: 16)
        return Array("\\u".utf8) + Array(repeating: 0x30, count: 4 - digits.utf8.count)
            + Array(digits.utf8)
    }
}
