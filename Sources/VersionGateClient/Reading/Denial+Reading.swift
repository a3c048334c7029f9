import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Denial {
    /// Creates a denial from a response; returns `nil` if the response is not a denial from a gate.
    ///
    /// The status alone is not sufficient, because other software also returns 426. The decision is
    /// in the header `X-VersionGate`, or in the problem type if a proxy has removed the header.
    init?(_ response: HTTPURLResponse, _ body: Data, at now: Date) {
        // The gate's own endpoints use the same header for decisions, but never deny a request.
        guard response.url?.path.contains(GateWire.endpointFolder) != true else { return nil }
        // JSON without one of the gate's problem types is not read: the operator defines its members.
        let document =
            Self.callDetails(of: response, body)
            .flatMap { CallDetails.metadata($0) }.map { GateDocument(metadata: $0) }
            ?? GateDocument(json: Self.json(of: response, body))
            .flatMap { GateWire.problems[$0.type ?? ""] == nil ? nil : $0 }
        let reason: Reason
        let seconds: TimeInterval?
        switch Self.decision(of: response, document) {
        case "require"?:
            var update = document?.update ?? Update()
            update.snoozeSeconds = nil
            seconds = response.retryAfter ?? update.brownoutUntil?.timeIntervalSince(now)
            update.brownoutUntil = update.brownoutUntil ?? seconds.map { now + $0 }
            reason = .updateRequired(update)
        case "maintenance"?:
            var window = document?.window ?? MaintenanceWindow()
            seconds = response.retryAfter ?? window.until?.timeIntervalSince(now)
            window.until = window.until ?? seconds.map { now + $0 }
            reason = .maintenance(window)
        default:
            return nil
        }
        self.init(
            reason: reason,
            status: response.statusCode,
            retryAfter: seconds.map { max(0, $0) }
        )
    }

    /// Returns the JSON in the content; in a Connect stream, the JSON follows a byte with flags and
    /// a four-byte length.
    private static func json(of response: HTTPURLResponse, _ body: Data) -> Data {
        guard response.mediaType?.hasPrefix("application/connect+") == true else { return body }
        return body.first == 2 ? Data(body.dropFirst(5)) : Data()
    }

    /// Returns the details of a gRPC status; with gRPC-Web, the content is a frame with the trailers,
    /// or this frame in Base64.
    private static func callDetails(of response: HTTPURLResponse, _ body: Data) -> String? {
        let name = "grpc-status-details-bin"
        if let details = response.value(forHTTPHeaderField: name) { return details }
        guard let type = response.mediaType, type.hasPrefix("application/grpc-web"),
            body.count <= GateDocument.sizeLimit,
            let frame = type.hasPrefix("application/grpc-web-text")
                ? Data(base64Encoded: body) : body
        else { return nil }
        // The header of the frame precedes the first trailer, which is the status.
        let lines = String(decoding: frame, as: UTF8.self).components(separatedBy: "\r\n")
        return lines.first { $0.hasPrefix("\(name):") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    private static func decision(
        of response: HTTPURLResponse,
        _ document: GateDocument?
    ) -> String? {
        let marker = response.value(forHTTPHeaderField: GateWire.marker)
        let decisions = marker.flatMap { StructuredField($0) }?.tokens.map(\.token) ?? []
        // If two gates are chained, the stricter decision is used.
        if let decision = ["maintenance", "require"].first(where: decisions.contains) {
            return decision
        }
        // The operator can configure the status, so it is not checked.
        guard response.mediaType == "application/problem+json" else { return nil }
        return document?.type.flatMap { GateWire.problems[$0] }
    }
}

/// The names in the protocol between gates and clients.
enum GateWire {
    /// The header with the gate's decision.
    static let marker = "X-VersionGate"
    /// The path prefix of the gate's own endpoints.
    static let endpointFolder = "/.versiongate/"
    /// The decisions by problem type.
    static let problems = [
        "urn:versiongate:upgrade-required": "require",
        "urn:versiongate:maintenance": "maintenance",
    ]
}

extension HTTPURLResponse {
    /// The media type in lowercase, without parameters.
    var mediaType: String? {
        guard let value = self.value(forHTTPHeaderField: "Content-Type") else { return nil }
        let type = value.prefix { $0 != ";" }
        return type.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The seconds in `Retry-After` (RFC 9110 section 10.2.3); a gate never sends a date.
    var retryAfter: TimeInterval? {
        guard let value = self.value(forHTTPHeaderField: "Retry-After"),
            let seconds = Int64(value), seconds >= 0
        else { return nil }
        return TimeInterval(seconds)
    }
}
