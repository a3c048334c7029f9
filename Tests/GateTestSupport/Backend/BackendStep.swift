/// An action of a scripted backend after it has received the head of a request.
package enum BackendStep: Sendable {
    /// Sends bytes as they are.
    case send([UInt8])
    /// Reads the request's body to its end.
    case readBody
    /// Reads the body to its end, pausing after each of the first `pauses` parts.
    case readSlowly(pauses: Int, milliseconds: Int)
    /// Reads the body and responds with an `EchoReport`.
    case echo
    /// Reads the body and responds with a `DigestReport`.
    case digest
    /// Sends this number of bytes of `BodyPattern`.
    case stream(Int)
    /// Sends the texts of an outbox as they arrive, until the test closes it.
    case relay(Outbox)
    /// Continues when the test opens the latch.
    case wait(Latch)
    /// Sends a 100 if the request expects one.
    case continueIfExpected
    /// Continues after a delay.
    case pause(milliseconds: Int)
    /// Never responds: discards all bytes until the peer ends the connection.
    case stall
    /// Sends back every following byte, until the peer ends its side.
    case mirror
    /// Closes the connection with FIN.
    case close
    /// Closes the connection with RST.
    case reset

    package static func send(_ text: String) -> BackendStep { .send(Array(text.utf8)) }

    /// Sends a complete response with a Content-Length.
    package static func answer(
        _ status: String = "200 OK",
        fields: String = "",
        body: String = ""
    ) -> BackendStep {
        .send("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
}
