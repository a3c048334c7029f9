import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Denial {
    /// Reads an answer; `nil` if it is not a denial of a gate.
    ///
    /// The status alone says nothing, because other software answers 426, too. What says it is the
    /// field `X-VersionGate`, or the problem type where something on the way took the field off.
    init?(_ response: HTTPURLResponse, _ body: Data, at now: Date) {
        // The gate's own endpoints tell a decision under the same field, and deny nothing.
        guard response.url?.path.contains(GateWire.endpointFolder) != true else { return nil }
        let document =
            response.value(forHTTPHeaderField: "grpc-status-details-bin")
            .flatMap { CallDetails.metadata($0) }.map { GateDocument(metadata: $0) }
            ?? GateDocument(json: Self.json(of: response, body))
            .flatMap { GateWire.isProblem($0.type) ? $0 : nil }
        switch Self.decision(of: response, document) {
        case "require"?:
            var update = document?.update ?? Update()
            update.snoozeSeconds = nil
            let seconds = response.retryAfter ?? update.brownoutUntil?.timeIntervalSince(now)
            if let seconds, update.brownoutUntil == nil {
                update.brownoutUntil = now + seconds
            }
            self.init(
                reason: .updateRequired(update),
                status: response.statusCode,
                retryAfter: seconds.map { max(0, $0) }
            )
        case "maintenance"?:
            var window = document?.window ?? MaintenanceWindow()
            let seconds = response.retryAfter ?? window.until?.timeIntervalSince(now)
            window.until = window.until ?? seconds.map { now + $0 }
            self.init(
                reason: .maintenance(window),
                status: response.statusCode,
                retryAfter: seconds.map { max(0, $0) }
            )
        default:
            return nil
        }
    }

    /// The JSON of a content: that of a stream of Connect stands in an envelope, behind flags and four bytes of length.
    private static func json(of response: HTTPURLResponse, _ body: Data) -> Data {
        guard response.mediaType?.hasPrefix("application/connect+") == true else { return body }
        return body.first == 2 ? Data(body.dropFirst(5)) : Data()
    }

    private static func decision(
        of response: HTTPURLResponse,
        _ document: GateDocument?
    ) -> String? {
        let marker = response.value(forHTTPHeaderField: GateWire.marker)
        let decisions = marker.flatMap { StructuredField($0) }?.tokens.map(\.token) ?? []
        // Of two gates in a row, the strictest word counts.
        if let decision = ["maintenance", "require"].first(where: decisions.contains) {
            return decision
        }
        // The status is the operator's to choose.
        guard response.mediaType == "application/problem+json" else { return nil }
        return document?.type.flatMap { GateWire.problems[$0] }
    }
}

/// The names that gates and clients share.
enum GateWire {
    /// The field that marks what a gate said.
    static let marker = "X-VersionGate"
    /// The folder of the gate's own endpoints.
    static let endpointFolder = "/.versiongate/"
    /// Whether it is the type of a denial: the members of any other content are the operator's own.
    static func isProblem(_ type: String?) -> Bool {
        type.map { Self.problems[$0] != nil } ?? false
    }

    /// The decisions that the problem types of denials stand for.
    static let problems = [
        "urn:versiongate:upgrade-required": "require",
        "urn:versiongate:maintenance": "maintenance",
    ]
}

extension HTTPURLResponse {
    /// The media type without parameters, in small letters.
    var mediaType: String? {
        guard let value = self.value(forHTTPHeaderField: "Content-Type") else { return nil }
        let type = value.prefix { $0 != ";" }
        return type.trimmingCharacters(in: .whitespaces).lowercased()
    }

    /// The seconds of `Retry-After` (RFC 9110 section 10.2.3), which a gate never states as a date.
    var retryAfter: TimeInterval? {
        guard let value = self.value(forHTTPHeaderField: "Retry-After"),
            let seconds = Int64(value), seconds >= 0
        else { return nil }
        return TimeInterval(seconds)
    }
}
