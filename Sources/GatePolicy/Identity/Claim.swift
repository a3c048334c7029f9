/// A client's word on one part of its identity.
///
/// A claim, not a credential: any client can say anything.
package enum Claim<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The client says nothing.
    case missing
    /// The client says something that cannot be read, or two things at once; shortened, for logs.
    case unreadable(String)
    case stated(Value)

    /// The value that the client states, if it does so readably.
    package var value: Value? {
        switch self {
        case .missing, .unreadable: nil
        case .stated(let value): value
        }
    }
}

extension Claim {
    /// The claim in place of more values, or longer ones, than are read.
    static var tooMuch: Claim { .unreadable("(too long)") }

    /// Whether nothing that is said besides can make it readable.
    var isUnreadable: Bool {
        if case .unreadable = self { true } else { false }
    }
}

extension Claim where Value: CustomStringConvertible {

    /// Adds another statement of the same part: equal ones are one, different ones are unreadable.
    /// (nginx takes the first, HAProxy the last: whoever chooses opens a bypass.)
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

extension Claim {
    func map<Other>(_ transform: (Value) -> Other) -> Claim<Other> {
        switch self {
        case .missing: .missing
        case .unreadable(let text): .unreadable(text)
        case .stated(let value):
            .stated(transform(value))
        }
    }
}
