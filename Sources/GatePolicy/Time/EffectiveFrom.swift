/// The time from which something is in effect.
package enum EffectiveFrom: Sendable, Equatable {
    case always
    case from(Timestamp)
    /// At no time, or at an unknown time.
    case never

    /// The start time; `nil` for `always` and `never`.
    package var date: Timestamp? {
        switch self {
        case .always, .never: nil
        case .from(let date): date
        }
    }

    package func hasBegun(at now: Timestamp) -> Bool {
        switch self {
        case .always: true
        case .from(let date): date <= now
        case .never: false
        }
    }
}

extension EffectiveFrom: Comparable {
    package static func < (left: EffectiveFrom, right: EffectiveFrom) -> Bool {
        switch (left, right) {
        case (.always, .always), (.never, _): false
        case (.always, _), (.from, .never): true
        case (.from, .always): false
        case (.from(let one), .from(let other)): one < other
        }
    }
}
