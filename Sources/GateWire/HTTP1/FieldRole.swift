import GatePolicy

/// The meaning of a header field for the gate; fields without a role are forwarded unchanged.
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
    /// Limits how often a `TRACE` or `OPTIONS` request can be forwarded (RFC 9110 section 7.6.2).
    case maxForwards
    case forwarded(Forwarded)
    /// States which transfer codings the sender accepts, and whether it accepts trailers.
    ///
    /// The field is hop-by-hop (RFC 9110 section 10.1.4).
    case te
    /// Hop-by-hop, and never forwarded (RFC 9110 section 7.6.1).
    case hopByHop
    /// Written or evaluated only by the gate; received fields with this role are not forwarded.
    case gateOwned
    /// Identifies the client; the value is the index into `RuleSet.identityHeaderNames`.
    case identity(UInt8)

    package enum Dialect: Equatable, Sendable {
        case connect, graphQL
    }

    package enum Forwarded: Equatable, Sendable {
        case `for`, proto, host
        /// The `Forwarded` field (RFC 7239).
        case standard
    }
}

extension FieldRole {
    /// Whether a field with this role can have a different role under other rules.
    ///
    /// True for an identity field, its twin, and any field that could become one.
    var dependsOnRules: Bool {
        switch self {
        case .other, .identity, .gateOwned, .dialect: true
        case .host, .connection, .contentLength, .transferEncoding, .expect, .upgrade, .origin,
            .contentType, .accept, .requestID, .accessControlRequestMethod, .maxForwards,
            .forwarded, .te, .hopByHop:
            false
        }
    }

    /// The request fields that the gate reads or writes regardless of the rules.
    static let requestFields: [(String, FieldRole)] =
        [
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
        ] + GateField.forgeable.map { ($0, .gateOwned) }

    /// The request fields that are read only to choose the form of a denial.
    ///
    /// A rules file may also use them as identity fields.
    static let dialectFields: [(String, FieldRole)] =
        [(AnswerForm.connectField, .dialect(.connect))]
        + AnswerForm.graphQLFields.map { ($0, .dialect(.graphQL)) }

    /// The response fields that the gate reads.
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
