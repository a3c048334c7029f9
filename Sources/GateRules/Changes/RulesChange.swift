package import GatePolicy

/// A change of the rules, or one that was refused, for whoever keeps a record of them.
package struct RulesChange: Sendable {
    /// The event that asked for a reload.
    package enum Reason: String, Sendable {
        case start
        case signal
        case fileChanged
        case request
        case feed
        case undo
    }

    /// The event and the name behind a change.
    package struct Origin: Sendable, Equatable {
        package let reason: Reason
        /// The feed, or the name of the operator's token; `nil` where nobody has a name.
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
    /// The rules that were in force; `nil`: none.
    package let before: LoadedRules?
    package let outcome: Outcome

    package init(at time: Timestamp, by origin: Origin, before: LoadedRules?, _ outcome: Outcome) {
        self.time = time
        self.origin = origin
        self.before = before
        self.outcome = outcome
    }
}
