package import GateSystem

/// The reason why a feed has no new valid value; its previous value stays active.
package struct FeedFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The source could not be fetched.
        case fetch(FetchFailure)
        /// The source responded with an unexpected status.
        case status(Int, detail: String?)
        /// A secret is missing or invalid.
        case secret(String)
        /// The response is invalid.
        case content(String)
        /// The response is not a rule set, or its rules are rejected.
        case rejected([RulesFileError])
        /// Some of the requests for the value failed.
        case parts([Part])
    }

    /// A failed request, identified by its subject, such as a country.
    package struct Part: Sendable, Equatable {
        package let name: String
        package let reason: Reason
    }

    package let reason: Reason
    /// The minimum delay in seconds before the next request, as requested by the source.
    package let retryAfter: Int64?

    package init(_ reason: Reason, retryAfter: Int64? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Creates a failure of several requests, with the longest requested delay.
    package static func parts(_ failures: [(name: String, failure: FeedFailure)]) -> FeedFailure {
        FeedFailure(
            .parts(failures.map { Part(name: $0.name, reason: $0.failure.reason) }),
            retryAfter: failures.compactMap(\.failure.retryAfter).max()
        )
    }

    /// Whether other requests for the same value may have succeeded.
    package var isPartial: Bool {
        if case .parts = self.reason { true } else { false }
    }

    package static func secret(_ message: String) -> FeedFailure { FeedFailure(.secret(message)) }

    package static func content(_ message: String) -> FeedFailure { FeedFailure(.content(message)) }

    package static func fetch(_ failure: FetchFailure) -> FeedFailure {
        FeedFailure(.fetch(failure))
    }
}

extension FeedFailure: CustomStringConvertible {
    package var description: String { "\(self.reason)" }
}

extension FeedFailure.Reason: CustomStringConvertible {
    /// Returns an explanation of a status without details (RFC 9110 section 15.5).
    private static func hint(for status: Int) -> String {
        switch status {
        case 401: ": the credential is missing or not accepted"
        case 403: ": the credential does not permit reading"
        case 404, 410: ": there is no resource at this URL"
        default: ""
        }
    }

    /// The maximum number of failed requests in the description.
    private static let toldParts = 3

    package var description: String {
        switch self {
        case .fetch(let failure): "\(failure)"
        case .status(let status, let detail?): "the source responded with \(status): \(detail)"
        case .status(let status, nil):
            "the source responded with \(status)\(Self.hint(for: status))"
        case .secret(let message), .content(let message): message
        case .rejected(let errors):
            errors.first.map {
                "\($0)" + (errors.count > 1 ? ", and \(errors.count - 1) more" : "")
            }
                ?? "the rules are rejected"
        case .parts(let parts):
            parts.prefix(Self.toldParts).map { "\($0.name): \($0.reason)" }
                .joined(separator: "; ")
                + (parts.count > Self.toldParts ? "; and \(parts.count - Self.toldParts) more" : "")
        }
    }
}
