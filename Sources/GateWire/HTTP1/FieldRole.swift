import GatePolicy

/// The meaning of a header field to the gate; everything else passes as it is.
package enum FieldRole: Equatable, Sendable {
    case other
    case host
    case connection
    case contentLength
    case transferEncoding
    case expect
    case upgrade
    case origin
    case contentType
    case accept
    /// Identifies the protocol that the client uses on top of HTTP.
    case dialect(Dialect)
    case requestID
    case accessControlRequestMethod
    /// How often `TRACE` or `OPTIONS` may be forwarded (RFC 9110 7.6.2).
    case maxForwards
    case forwarded(Forwarded)
    /// The codings and trailers that the sender takes (RFC 9110 10.1.4); for the next hop only.
    case te
    /// Speaks to the next hop only and is never passed on (RFC 9110 7.6.1).
    case hopByHop
    /// Written by the gate alone; a client's copy is removed.
    case gateOwned
    /// Says who the client is; the index is that of `RuleSet.identityHeaderNames`.
    case identity(UInt8)

    package enum Dialect: Equatable, Sendable {
        case connect, graphQL
    }

    package enum Forwarded: Equatable, Sendable {
        case `for`, proto, host
        /// RFC 7239.
        case standard
    }
}

extension FieldRole {
    /// Whether other rules may give a field of the same name another role: it tells who the client is, or looks like
    /// one that does.
    var dependsOnRules: Bool {
        switch self {
        case .other, .identity, .gateOwned, .dialect: true
        case .host, .connection, .contentLength, .transferEncoding, .expect, .upgrade, .origin,
            .contentType, .accept, .requestID, .accessControlRequestMethod, .maxForwards,
            .forwarded, .te, .hopByHop:
            false
        }
    }

    /// Fields of a request that the gate reads or writes, whatever the rules say.
    static let requestFields: [(String, FieldRole)] = [
        ("host", .host),
        ("connection", .connection),
        ("content-length", .contentLength),
        ("transfer-encoding", .transferEncoding),
        ("expect", .expect),
        ("upgrade", .upgrade),
        ("origin", .origin),
        ("content-type", .contentType),
        ("accept", .accept),
        ("x-request-id", .requestID),
        ("access-control-request-method", .accessControlRequestMethod),
        ("max-forwards", .maxForwards),
        ("x-forwarded-for", .forwarded(.for)),
        ("x-forwarded-proto", .forwarded(.proto)),
        ("x-forwarded-host", .forwarded(.host)),
        ("forwarded", .forwarded(.standard)),
        ("keep-alive", .hopByHop),
        ("proxy-connection", .hopByHop),
        ("te", .te),
        ("http2-settings", .hopByHop),
        ("x-versiongate", .gateOwned),
        ("x-versiongate-decision", .gateOwned),
        // Read for a tester where previews are on, and never passed on.
        ("x-versiongate-preview", .gateOwned),
    ]

    /// Request fields that are read only to choose the form of a denial.
    ///
    /// A rules file may also use them as identity fields.
    static let dialectFields: [(String, FieldRole)] =
        [(AnswerForm.connectField, .dialect(.connect))]
        + AnswerForm.graphQLFields.map { ($0, .dialect(.graphQL)) }

    /// Fields of a response that the gate reads.
    static let responseFields: [(String, FieldRole)] = [
        ("connection", .connection),
        ("content-length", .contentLength),
        ("transfer-encoding", .transferEncoding),
        ("upgrade", .upgrade),
        ("content-type", .contentType),
        ("keep-alive", .hopByHop),
        ("proxy-connection", .hopByHop),
        ("x-versiongate", .gateOwned),
    ]
}
