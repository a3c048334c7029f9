/// The kind of denial that a client gets instead of the backend's response.
package enum Denial: Sendable, Equatable {
    case upgrade
    case maintenance

    /// Creates the denial for a decision, or returns `nil` if the request is forwarded.
    package init?(_ decision: Decision) {
        switch decision.kind {
        case .allow, .recommend: return nil
        case .require: self = .upgrade
        case .maintenance: self = .maintenance
        }
    }

    /// The HTTP status (RFC 9110 sections 15.5.22 and 15.6.4).
    package var status: Int {
        switch self {
        case .upgrade: 426
        case .maintenance: 503
        }
    }

    /// The problem type (RFC 9457 section 3.1.1).
    package var type: String {
        switch self {
        case .upgrade: "urn:versiongate:upgrade-required"
        case .maintenance: "urn:versiongate:maintenance"
        }
    }

    /// The gRPC status code: FAILED_PRECONDITION if a retry cannot succeed, or UNAVAILABLE if a
    /// later retry can succeed.
    var callStatus: Int {
        switch self {
        case .upgrade: 9
        case .maintenance: 14
        }
    }

    /// The Connect error code that corresponds to `callStatus`.
    var connectCode: String {
        switch self {
        case .upgrade: "failed_precondition"
        case .maintenance: "unavailable"
        }
    }

    /// The reason in `google.rpc.ErrorInfo`, and the code in the extensions of a GraphQL error.
    var callReason: String {
        switch self {
        case .upgrade: "UPGRADE_REQUIRED"
        case .maintenance: "MAINTENANCE"
        }
    }
}

extension Decision {
    /// The time at which the denial ends; `nil` if it is permanent, or if the request is forwarded.
    var deniedUntil: Timestamp? {
        switch self.kind {
        case .allow, .recommend: nil
        case .require: self.brownout?.until
        case .maintenance: self.maintenance?.until
        }
    }
}
