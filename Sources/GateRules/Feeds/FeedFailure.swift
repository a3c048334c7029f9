package import GateSystem

/// Why a feed has no new good value; what was good before stays.
package struct FeedFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        /// The source could not be asked.
        case fetch(FetchFailure)
        /// It answered with something else than a value.
        case status(Int, detail: String?)
        /// A secret is not where it should be.
        case secret(String)
        /// The answer does not mean anything.
        case content(String)
        /// The answer is no set of rules, or none that may be loaded.
        case rejected([RulesFileError])
        /// Some of the questions that the value is made of failed.
        case parts([Part])
    }

    /// A question that failed, by what it was about, such as a country.
    package struct Part: Sendable, Equatable {
        package let name: String
        package let reason: Reason
    }

    package let reason: Reason
    /// After how many seconds, at the earliest, the source wants to be asked again.
    package let retryAfter: Int64?

    package init(_ reason: Reason, retryAfter: Int64? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// Some questions that failed; the source is asked again when all of them may be.
    package static func parts(_ failures: [(name: String, failure: FeedFailure)]) -> FeedFailure {
        FeedFailure(
            .parts(failures.map { Part(name: $0.name, reason: $0.failure.reason) }),
            retryAfter: failures.compactMap(\.failure.retryAfter).max()
        )
    }

    /// Whether other questions of the same value may have been answered.
    package var isPartial: Bool {
        if case .parts = self.reason { true } else { false }
    }

    package static func secret(_ message: String) -> FeedFailure { FeedFailure(.secret(message)) }

    package static func content(_ message: String) -> FeedFailure { FeedFailure(.content(message)) }

    package static func fetch(_ failure: FetchFailure) -> FeedFailure {
        FeedFailure(.fetch(failure))
    }

    /// The failure of an answer that is no value.
    package static func status(_ head: ResponseHead, detail: String? = nil) -> FeedFailure {
        FeedFailure(.status(head.status, detail: detail), retryAfter: RetryAfter(head)?.seconds)
    }
}

extension FeedFailure: CustomStringConvertible {
    package var description: String { "\(self.reason)" }
}

extension FeedFailure.Reason: CustomStringConvertible {
    /// The meaning of a status that comes without words of its own (RFC 9110 section 15.5).
    private static func hint(for status: Int) -> String {
        switch status {
        case 401: ": it wants a credential, or does not take the one that it is shown"
        case 403: ": it knows who asks, and does not let them read this"
        case 404, 410: ": there is nothing at this address"
        default: ""
        }
    }

    /// How many questions that failed are told.
    private static let toldParts = 3

    package var description: String {
        switch self {
        case .fetch(let failure): "\(failure)"
        case .status(let status, let detail?): "the source answers \(status): \(detail)"
        case .status(let status, nil): "the source answers \(status)\(Self.hint(for: status))"
        case .secret(let message), .content(let message): message
        case .rejected(let errors):
            errors.first.map {
                "\($0)" + (errors.count > 1 ? ", and \(errors.count - 1) more" : "")
            }
                ?? "it is refused"
        case .parts(let parts):
            parts.prefix(Self.toldParts).map { "\($0.name): \($0.reason)" }
                .joined(separator: "; ")
                + (parts.count > Self.toldParts ? "; and \(parts.count - Self.toldParts) more" : "")
        }
    }
}
