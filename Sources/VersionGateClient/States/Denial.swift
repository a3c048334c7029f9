public import Foundation

/// An answer that the gate gave instead of the backend.
public struct Denial: Sendable, Hashable {
    /// Why the request did not reach the backend.
    public enum Reason: Sendable, Hashable {
        /// The build has to be updated.
        case updateRequired(Update)
        /// Nobody is served for a while.
        case maintenance(MaintenanceWindow)
    }

    /// Why the request did not reach the backend.
    public var reason: Reason
    /// The status of the answer: 426 and 503 unless the operator chose others.
    public var status: Int
    /// In how many seconds the same request may be tried again (RFC 9110 section 10.2.3); `nil` if it
    /// stays refused until the app is another one.
    public var retryAfter: TimeInterval?

    init(reason: Reason, status: Int, retryAfter: TimeInterval?) {
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
    }

    /// Whether it is a denial for an hour or so before the build's end, after which the build passes
    /// again.
    public var isBrownout: Bool {
        guard case .updateRequired = self.reason else { return false }
        return self.retryAfter != nil
    }
}

/// The error of a request that the gate denied.
public struct GateDenied: Error, Sendable, Hashable, LocalizedError {
    /// The gate's own words.
    public var denial: Denial

    init(_ denial: Denial) {
        self.denial = denial
    }

    /// The operator's heading.
    public var errorDescription: String? {
        switch self.denial.reason {
        case .updateRequired(let update): update.title
        case .maintenance(let window): window.title
        }
    }

    /// The operator's words.
    public var failureReason: String? {
        switch self.denial.reason {
        case .updateRequired(let update): update.message
        case .maintenance(let window): window.message
        }
    }
}
