/// The time from which something takes effect.
///
/// The cases are in ascending order.
package enum EffectiveFrom: Sendable, Comparable {
    case always
    case from(Timestamp)
    /// At no time, or at an unknown time.
    case never

    /// The start time; `nil` for `always` and `never`.
    package var date: Timestamp? {
        if case .from(let date) = self { date } else { nil }
    }

    package func hasBegun(at now: Timestamp) -> Bool {
        switch self {
        case .always: true
        case .from(let date): date <= now
        case .never: false
        }
    }
}
