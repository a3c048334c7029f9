/// One thing that a scripted backend does once the head of a request has come.
package enum BackendStep: Sendable {
    /// Sends bytes as they are.
    case send([UInt8])
    /// Reads the body of the request to its end.
    case readBody
    /// Reads the body to its end, with so many pauses between its first pieces.
    case readSlowly(pauses: Int, milliseconds: Int)
    /// Reads the body and answers with an `EchoReport`.
    case echo
    /// Reads the body and answers with a `DigestReport`.
    case digest
    /// Sends so many bytes of `BodyPattern`.
    case stream(Int)
    /// Sends what a test puts in, as it comes, until the test closes it.
    case relay(Outbox)
    /// Goes on when the test says so.
    case wait(Latch)
    /// Sends a 100 if the request expects one.
    case continueIfExpected
    /// Goes on after a while.
    case pause(milliseconds: Int)
    /// Never answers: reads and drops until the peer ends the connection.
    case stall
    /// From here on sends back each byte that comes, until the peer ends its side.
    case mirror
    /// Ends the connection in order.
    case close
    /// Ends the connection with RST.
    case reset

    package static func send(_ text: String) -> BackendStep { .send(Array(text.utf8)) }

    /// A whole answer with a counted body.
    package static func answer(
        _ status: String = "200 OK",
        fields: String = "",
        body: String = ""
    ) -> BackendStep {
        .send("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
}
