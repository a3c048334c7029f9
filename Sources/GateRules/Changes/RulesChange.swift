package import GatePolicy

/// A change to the rules, applied or rejected, for the audit log.
package struct RulesChange: Sendable {
    package enum Reason: String, Sendable {
        case start
        case signal
        case fileChanged
        case request
        case feed
        case undo
    }
    /// The cause of a change.
    package struct Origin: Sendable, Equatable {
        package let reason: Reason
        /// The ID of the feed, or the name of the operator's token; `nil` if neither applies.
        package let name: String?

        package init(_ reason: Reason, name: String? = nil) {
            self.reason = reason
            self.name = name
        }
    }

    package enum Outcome: Sendable {
        case applied(LoadedRules)
        case refused(LoadFailure)
    }

    package let time: Timestamp
    package let origin: Origin
    /// The rules that were active before the change; `nil` if there were none.
    package let before: LoadedRules?
    package let outcome: Outcome

    package init(at time: Timestamp, by origin: Origin, before: LoadedRules?, _ outcome: Outcome) {
        self.time = time
        self.origin = origin
        self.before = before
        self.outcome = outcome
    }
}
