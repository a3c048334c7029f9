public import Foundation

/// A response that the gate generated instead of forwarding the request to the backend.
public struct Denial: Sendable, Hashable {
    /// The reason for a denial.
    public enum Reason: Sendable, Hashable {
        /// The app must be updated.
        case updateRequired(Update)
        /// The service is down for maintenance.
        case maintenance(MaintenanceWindow)
    }

    /// The reason for the denial.
    public var reason: Reason
    /// The status code of the response: 426 or 503, unless the operator configured a different one.
    public var status: Int
    /// The number of seconds after which the request may be retried (RFC 9110 section 10.2.3);
    /// `nil` if the request remains denied until the app is updated.
    public var retryAfter: TimeInterval?

    /// Whether the denial is a brownout: a temporary denial before the build's support ends.
    public var isBrownout: Bool {
        guard case .updateRequired = self.reason else { return false }
        return self.retryAfter != nil
    }
}

/// The error for a request that the gate denied.
public struct GateDenied: Error, Sendable, Hashable, LocalizedError {
    /// The denial that the gate sent.
    public var denial: Denial

    /// The title from the operator.
    public var errorDescription: String? {
        switch self.denial.reason {
        case .updateRequired(let update): update.title
        case .maintenance(let window): window.title
        }
    }

    /// The message from the operator.
    public var failureReason: String? {
        switch self.denial.reason {
        case .updateRequired(let update): update.message
        case .maintenance(let window): window.message
        }
    }
}
