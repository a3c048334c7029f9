/// The facts about a response head that the gate needs to forward the response.
///
/// See RFC 9112 sections 6.3 and 9.3.
@usableFromInline
package struct ResponseFacts: Equatable, Sendable {
    package private(set) var framing = BodyFraming.untilClose
    @usableFromInline package private(set) var connection = ConnectionOptions()
    package private(set) var upgradeLine: Int?
    /// Whether the body is an event stream, which can last for days.
    package private(set) var isEventStream = false
    @usableFromInline let minorVersion: Int

    /// Creates the facts about a response; `answersHead` indicates whether the request method was `HEAD`.
    ///
    /// - Throws: The fault of a head whose framing is ambiguous.
    package init(
        _ head: borrowing ResponseHead,
        in bytes: Span<UInt8>,
        answersHead: Bool
    ) throws(MessageFault) {
        self.minorVersion = head.minorVersion
        var framing = FramingFields()
        for index in head.fields.lines.indices {
            let line = head.fields.lines[index]
            switch line.role {
            case .connection:
                self.connection.add(bytes, line)
            case .contentLength:
                if let fault = framing.addContentLength(bytes, line) { throw fault }
            case .transferEncoding:
                if let fault = framing.addTransferEncoding(bytes, line) { throw fault }
            case .upgrade:
                self.upgradeLine = self.upgradeLine ?? index
            case .contentType:
                self.isEventStream = bytes.hasMediaType(
                    "text/event-stream",
                    line.valueStart,
                    line.valueEnd
                )
            case .other, .host, .expect, .origin, .accept, .requestID,
                .accessControlRequestMethod, .maxForwards, .forwarded, .te, .hopByHop, .gateOwned,
                .identity, .dialect:
                continue
            }
        }
        if framing.isChunked, head.minorVersion == 0 { throw .transferEncoding }
        let stated = try framing.framing()
        let hasNoBody =
            answersHead || head.status < 200 || head.status == 204 || head.status == 304
        self.framing =
            hasNoBody ? .none : stated ?? (head.hasUnannouncedBody ? .chunked : .untilClose)
    }

    /// Whether the backend accepts another request on this connection.
    @inlinable
    package var keepsAlive: Bool {
        self.minorVersion > 0
            ? !self.connection.close : self.connection.keepAlive && !self.connection.close
    }

    /// Returns whether the value of the first `Upgrade` field is `name`, ignoring case.
    ///
    /// `name` must be in lower case.
    package func upgrades(
        to name: StaticString,
        _ head: borrowing ResponseHead,
        in bytes: Span<UInt8>
    ) -> Bool {
        guard let index = self.upgradeLine else { return false }
        let line = head.fields.lines[index]
        return bytes.matches(name, from: line.valueStart, to: line.valueEnd)
    }
}
