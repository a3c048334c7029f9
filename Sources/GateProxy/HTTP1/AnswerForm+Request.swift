import GatePolicy

extension AnswerForm {
    /// The form that a gRPC client reads, by the media type of what it sends; `nil` for other
    /// clients (gRPC over HTTP/2, "Content-Type", and the gRPC-Web protocol).
    init?(contentType bytes: Span<UInt8>, _ line: FieldLine) {
        let types: [(StaticString, AnswerForm)] = [
            ("application/grpc-web-text", .grpcWebText),
            ("application/grpc-web", .grpcWeb),
            ("application/grpc", .grpc),
        ]
        for (type, form) in types where bytes.hasMediaType(type, line.valueStart, line.valueEnd) {
            self = form
            return
        }
        return nil
    }

    /// Whether somebody looks at the answer in a browser.
    ///
    /// Every browser names both types when it opens a page. `text/html` alone is not enough: some
    /// HTTP libraries of apps ask for it without knowing (Java's `HttpURLConnection`).
    static func isBrowser(accept bytes: Span<UInt8>, _ line: FieldLine) -> Bool {
        var namesHTML = false
        var namesXHTML = false
        bytes.forEachListMember(from: line.valueStart, to: line.valueEnd) { start, end in
            namesHTML = namesHTML || bytes.hasMediaType("text/html", start, end)
            namesXHTML = namesXHTML || bytes.hasMediaType("application/xhtml+xml", start, end)
            return true
        }
        return namesHTML && namesXHTML
    }
}
