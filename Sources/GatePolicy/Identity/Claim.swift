/// The value that a client sends for one part of its identity.
///
/// The value is a claim and not a credential, because clients can send any value.
package enum Claim<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The client sends no value.
    case missing
    /// The value cannot be parsed, or there are several different values.
    ///
    /// The string describes the received values in logs.
    case unreadable(String)
    case stated(Value)

    /// The value, unless it is missing or unparsable.
    package var value: Value? {
        switch self {
        case .missing, .unreadable: nil
        case .stated(let value): value
        }
    }

    /// The claim for values that exceed the limits.
    static var tooMuch: Claim { .unreadable("(too long)") }

    /// Whether the claim is unparsable.
    ///
    /// Merging further statements does not change an unparsable claim.
    var isUnreadable: Bool {
        if case .unreadable = self { true } else { false }
    }
}

extension Claim where Value: CustomStringConvertible {
    /// Merges another statement about the same part of the identity.
    ///
    /// Equal values count once. Different values make the claim unparsable, because choosing the
    /// first value, as nginx does, or the last value, as HAProxy does, would allow a bypass.
    mutating func merge(_ statement: Claim) {
        switch (self, statement) {
        case (_, .missing), (.unreadable, _):
            break
        case (.missing, _), (_, .unreadable):
            self = statement
        case (.stated(let one), .stated(let other)):
            guard one != other else { return }
            self = .unreadable(Excerpt(one.description + ", " + other.description).text)
        }
    }
}
