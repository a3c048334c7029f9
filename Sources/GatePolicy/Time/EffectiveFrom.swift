/// From when on something is so.
package enum EffectiveFrom: Sendable, Equatable {
    case always
    case from(Timestamp)
    /// Nobody knows when, or it will not.
    case never

    /// When it begins; `nil` if it has always been so, or never is.
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
