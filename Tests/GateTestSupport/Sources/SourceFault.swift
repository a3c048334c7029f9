/// The faults of a server that a feed polls, regardless of its protocol.
package enum SourceFault: String, Sendable, CaseIterable {
    case reset
    case cut
    case silent
    case unauthorized
    case forbidden
    case missing
    case throttled
    case unavailable
    case empty
    case webPage
    case truncatedJSON
    case notUTF8
    case wrongEncoding
    case tooLarge
    case redirectElsewhere
    case redirectLoop

    /// The steps of a server with this fault.
    var steps: [BackendStep] {
        switch self {
        case .reset: [.reset]
        case .cut: [.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"), .close]
        case .silent: [.stall]
        case .unauthorized: [.answer("401 Unauthorized", body: #"{"message":"who?"}"#)]
        case .forbidden: [.answer("403 Forbidden")]
        case .missing: [.answer("404 Not Found")]
        case .throttled: [.answer("429 Too Many Requests", fields: "Retry-After: 1\r\n")]
        case .unavailable: [.answer("503 Service Unavailable", body: "<h1>later</h1>")]
        case .empty: [.answer()]
        case .webPage:
            [.answer(fields: "Content-Type: text/html\r\n", body: "<html><p>Log in</p></html>")]
        case .truncatedJSON: [.answer(body: #"{"rules":[{"id":"a","minimum":"#)]
        case .notUTF8:
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"),
                .send([0x22, 0xFF, 0xFE, 0x22]),
            ]
        case .wrongEncoding:
            [.answer(fields: "Content-Encoding: gzip\r\n", body: "rules: []")]
        case .tooLarge: [.answer(body: String(repeating: "# x\n", count: 1_100_000))]
        case .redirectElsewhere:
            [.answer("302 Found", fields: "Location: https://elsewhere.example/\r\n")]
        case .redirectLoop: [.answer("302 Found", fields: "Location: /again\r\n")]
        }
    }
}
