/// The response that a denied client gets instead of the backend's response.
///
/// `Date`, `Content-Length` and similar fields are omitted, because the sender adds them.
package struct Answer: Sendable, Equatable {
    package var status: Int
    package var fields: [HeaderField]
    package var body: [UInt8]
    /// The time after which the client may retry; `nil` if it is unknown, or if the client has to
    /// update first.
    package var retryAt: Timestamp?
    /// Whether the response has an `Upgrade` field over HTTP/1.1 (RFC 9110 section 15.5.22).
    package var sendsUpgrade = false

    /// The header field that marks responses and hints from the gate.
    package static let markerName = "X-VersionGate"
    private static let retryAfterName = "Retry-After"
    /// The maximum value of `Retry-After`, in seconds.
    ///
    /// OkHttp fails on larger values instead of returning the response.
    private static let maximumRetryAfter: Int64 = 0x7FFF_FFFF

    /// The response that ends a gRPC call because another backend must handle the call.
    ///
    /// Clients can retry the call.
    package static let moved = Answer(
        status: 503,
        fields: [
            HeaderField(name: "Cache-Control", value: "no-store"),
            HeaderField(name: Self.retryAfterName, value: "0"),
            // UNAVAILABLE
            HeaderField(name: "grpc-status", value: "14"),
            HeaderField(name: "grpc-message", value: "moved to another backend"),
        ],
        body: []
    )

    /// Returns the response with `Retry-After` set to the number of seconds left (RFC 9110 section
    /// 10.2.3).
    ///
    /// The value is at most 2^31 - 1. It is never 0, because OkHttp would retry the request at
    /// once, even a POST request.
    ///
    /// The rest of the response does not change while the decision is valid.
    package func counted(to now: Timestamp) -> Answer {
        guard let retryAt else { return self }
        var answer = self
        answer.fields.removeAll { $0.name == Self.retryAfterName }
        let seconds = min(max(1, now.seconds(until: retryAt)), Self.maximumRetryAfter)
        answer.fields.append(HeaderField(name: Self.retryAfterName, value: String(seconds)))
        return answer
    }

    /// Returns the CORS fields that let a web app from another origin read the response (Fetch
    /// standard, "CORS protocol").
    package static func crossOriginFields(origin: String) -> [HeaderField] {
        // Only a value that can be an origin is echoed, because other bytes could start a new
        // header field.
        guard !origin.isEmpty, origin.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return [] }
        return [
            HeaderField(name: "Access-Control-Allow-Origin", value: origin),
            // Without this field, a page that sends cookies could not read the response. The field
            // is safe, because the response contains no secrets.
            HeaderField(name: "Access-Control-Allow-Credentials", value: "true"),
            HeaderField(name: "Access-Control-Expose-Headers", value: self.exposedNames),
        ]
    }

    private static let exposedNames = [
        markerName, retryAfterName, "Deprecation", "Sunset", "ETag", "grpc-status", "grpc-message",
        "grpc-status-details-bin",
    ].joined(separator: ", ")
}
