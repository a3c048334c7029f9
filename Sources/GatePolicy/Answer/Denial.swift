/// The reason why a client gets a response from the gate instead of the backend's response.
package enum Denial: Sendable, Equatable {
    case upgrade
    case maintenance

    /// Creates the denial for a decision; `nil` if the request is forwarded.
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

    /// The gRPC status code: FAILED_PRECONDITION if a retry does not help, or UNAVAILABLE if a
    /// retry may help.
    var callStatus: Int {
        switch self {
        case .upgrade: 9
        case .maintenance: 14
        }
    }

    /// The corresponding error code of Connect.
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
