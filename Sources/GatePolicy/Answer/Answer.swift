/// The answer that a denied client gets instead of the backend's.
///
/// Without the fields of the connection (`Date`, `Content-Length` …), which only the one who sends
/// it knows.
package struct Answer: Sendable, Equatable {
    package var status: Int
    package var fields: [HeaderField]
    package var body: [UInt8]
    /// When the client may come back; `nil` if it has to change first.
    package var retryAt: Timestamp?
    /// Whether an answer over HTTP/1.1 names a protocol to upgrade to (RFC 9110 section 15.5.22).
    package var sendsUpgrade: Bool

    /// The field that marks what the gate has said.
    package static let markerName = "X-VersionGate"
    private static let retryAfterName = "Retry-After"
    /// Seconds; OkHttp fails with more, in place of the answer.
    private static let longestRetryAfter: Int64 = 0x7FFF_FFFF

    package init(
        status: Int,
        fields: [HeaderField],
        body: [UInt8],
        retryAt: Timestamp? = nil,
        sendsUpgrade: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.retryAt = retryAt
        self.sendsUpgrade = sendsUpgrade
    }

    /// The answer as it is given at this second: a `Retry-After` is the number of seconds left
    /// (RFC 9110 section 10.2.3), 2^31 - 1 at most.
    ///
    /// Everything else stays as it is for as long as the decision is valid.
    package func counted(to now: Timestamp) -> Answer {
        guard let retryAt else { return self }
        var answer = self
        answer.fields.removeAll { $0.name == Self.retryAfterName }
        let seconds = min(max(0, now.seconds(until: retryAt)), Self.longestRetryAfter)
        answer.fields.append(HeaderField(name: Self.retryAfterName, value: String(seconds)))
        return answer
    }

    /// The fields without which a web app of another origin could not read the answer (the CORS
    /// protocol of the Fetch standard).
    package static func crossOriginFields(origin: String) -> [HeaderField] {
        // A text that is no origin is not repeated: it could be the beginning of another field.
        guard !origin.isEmpty, origin.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return [] }
        return [
            HeaderField(name: "Access-Control-Allow-Origin", value: origin),
            // Nothing in the answer is anybody's secret, and without this a page that sends its
            // cookies along could not read it.
            HeaderField(name: "Access-Control-Allow-Credentials", value: "true"),
            HeaderField(name: "Access-Control-Expose-Headers", value: self.exposedNames),
        ]
    }

    private static let exposedNames = [
        markerName, retryAfterName, "Deprecation", "Sunset", "ETag", "grpc-status", "grpc-message",
        "grpc-status-details-bin",
    ].joined(separator: ", ")
}
