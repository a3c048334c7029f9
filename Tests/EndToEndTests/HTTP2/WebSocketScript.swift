import Foundation
import GateTestSupport

/// The backend's side of the WebSocket handshake (RFC 6455 section 4.2.2).
enum WebSocketScript {
    /// Returns the backend's response with additional fields.
    ///
    /// Python computes `Sec-WebSocket-Accept`.
    static func switching(_ request: BackendRequest, _ fields: String = "") -> BackendStep {
        let program = """
            import base64, hashlib, sys
            words = sys.argv[1] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            print(base64.b64encode(hashlib.sha1(words.encode()).digest()).decode(), end="")
            """
        let key = request.fields["sec-websocket-key"].first ?? ""
        let accept = try? ToolProcess.run("python3", ["-c", program, key]).output
        return .send(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(accept ?? "")\r\n\(fields)\r\n"
        )
    }
}
