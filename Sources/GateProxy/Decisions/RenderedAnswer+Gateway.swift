import GatePolicy
import GateWire

/// Responses to authorization requests over HTTP.
extension RenderedAnswer {
    /// The name of the header field that carries the content of a denial, for gateways that drop the content.
    static let bodyFieldName = "X-VersionGate-Body"
    /// The name of the header field that carries the status of a denial, for gateways that require a different status.
    static let statusFieldName = "X-VersionGate-Status"

    /// Creates the response that allows a request.
    ///
    /// The response contains the fields that the gate would add to the request and to the backend's response. Its
    /// status is 200, because Envoy treats no other status as permission.
    ///
    /// `added` contains the header fields that depend on more than the verdict.
    convenience init(allowing verdict: Verdict, added: [HeaderField]) {
        var head = Self.allowedHead
        head += verdict.upstreamFields.text
        if !added.isEmpty { head += Self.lines(added) }
        head += verdict.clientFields.text
        self.init(status: 200, head: head, body: [], sendsUpgrade: false)
    }

    private static let allowedHead = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)

    /// Creates the response to a health check of the decision listener.
    static func readiness(_ isReady: Bool) -> RenderedAnswer {
        RenderedAnswer(
            status: isReady ? 200 : 503,
            fields: [HeaderField(name: "Cache-Control", value: "no-store")],
            body: []
        )
    }

    /// Returns a denial in the form that the gateway requires.
    ///
    /// If the gateway drops the content, a header field contains the content. If the gateway requires a different
    /// status, a header field contains the status of the denial. Another header field contains the decision of
    /// `verdict`, which distinguishes the denial from an error response.
    func denial(for gateway: Gateway, _ verdict: Verdict) -> RenderedAnswer {
        // Gateways treat a 2xx status as permission. For other statuses, the decision is not copied, because copying it
        // would cost as much as all other steps combined.
        let status = self.status < 300 ? self.failureStatus(for: verdict.decision) : self.status
        let sent = gateway.status(for: status)
        var head: [UInt8] = []
        head.reserveCapacity(self.head.count + Self.addedCapacity)
        let own = self.head
        let lines = Self.fieldLineRange(in: own.span)
        if sent == self.status {
            head.append(own.span.extracting(0..<lines.lowerBound))
        } else {
            head += StatusLine.text(sent).utf8
        }
        head.append(own.span.extracting(lines))
        head += Self.decisionLine(verdict.decision.kind)
        if sent != status || gateway.dropsContent {
            Self.append(Self.statusFieldName, "\(status)", to: &head)
        }
        var body = self.body
        if gateway.dropsContent {
            head += Self.bodyFieldName.utf8
            head += ": ".utf8
            let value = Self.fieldValue(of: body)
            head +=
                value.count <= Self.fieldLimit ? value : Self.shortBody(status, verdict.decision)
            head += "\r\n".utf8
            body = []
        }
        Self.append(length: body.count, to: &head)
        return RenderedAnswer(status: sent, head: head, body: body, sendsUpgrade: false)
    }

    private static func decisionLine(_ kind: Decision.Kind) -> [UInt8] {
        switch kind {
        case .allow: self.allowLine
        case .recommend: self.recommendLine
        case .require: self.requireLine
        case .maintenance: self.maintenanceLine
        }
    }

    private static let allowLine = RenderedAnswer.line(of: .allow)
    private static let recommendLine = RenderedAnswer.line(of: .recommend)
    private static let requireLine = RenderedAnswer.line(of: .require)
    private static let maintenanceLine = RenderedAnswer.line(of: .maintenance)

    private static func line(of kind: Decision.Kind) -> [UInt8] {
        RenderedAnswer.lines([HeaderField(name: GateField.decision, value: kind.rawValue)])
    }

    /// The capacity in bytes for the lines that `denial(for:_:)` adds, except for the content.
    private static let addedCapacity = 128

    /// The maximum size, in bytes, of the content of a denial in a header field.
    ///
    /// A gateway treats a header section above its limit as a failure of the gate, and may then allow the request. The
    /// configuration in `docs/gateways` has a limit of 32 KiB.
    private static let fieldLimit = 24 * 1024

    /// Returns replacement content for a denial whose content is too large for a header field.
    private static func shortBody(_ status: Int, _ decision: Decision) -> [UInt8] {
        let type = Denial(decision)?.type ?? "about:blank"
        let title = StatusLine.reason(status)
        return Array("{\"type\":\"\(type)\",\"title\":\"\(title)\",\"status\":\(status)}".utf8)
    }

    /// The field lines of the head, without the status line and `Content-Length`.
    var fieldLines: [UInt8] {
        let head = self.head
        return Array(head[Self.fieldLineRange(in: head.span)])
    }

    /// Returns the range of the field lines in a head, without `Content-Length`, which can only be the last line.
    private static func fieldLineRange(in head: Span<UInt8>) -> Range<Int> {
        let start = (head.position(of: ASCII.lineFeed, from: 0) ?? -1) + 1
        var last = head.count - 1
        while last > start, head[last - 1] != ASCII.lineFeed { last -= 1 }
        let nameEnd = Swift.min(last + "Content-Length".utf8.count, head.count)
        let hasLength = last >= start && head.equals("Content-Length", from: last, to: nameEnd)
        return start..<(hasLength ? last : head.count)
    }

    /// Returns the content of a denial in the form of a header field value.
    ///
    /// Line breaks become spaces. In JSON, all other characters outside printable ASCII become escape sequences (RFC
    /// 8259 section 7).
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
            // Control characters occur only between tokens, where they are whitespace.
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
