/// The value that a client sends for one part of its identity.
///
/// This is a claim and not a credential: clients can send any value.
package enum Claim<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The client sends no value.
    case missing
    /// The value cannot be parsed, or there are several different values; the text is truncated for
    /// logs.
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

    /// Whether the claim is unparsable; merging further statements does not change it.
    var isUnreadable: Bool {
        if case .unreadable = self { true } else { false }
    }
}

extension Claim where Value: CustomStringConvertible {
    /// Merges another statement about the same part.
    ///
    /// Equal values count once; different values make the claim unparsable. Choosing the first
    /// value, as nginx does, or the last value, as HAProxy does, would allow a bypass.
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
