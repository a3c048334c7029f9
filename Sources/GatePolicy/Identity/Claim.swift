/// What a client says of one part of its identity.
///
/// A claim, not a credential: any client can say anything.
package enum Claim<Value: Sendable & Hashable>: Sendable, Hashable {
    /// The client says nothing.
    case missing
    /// The client says something that cannot be read, or two things at once; shortened, for logs.
    case unreadable(String)
    case stated(Value)

    /// What the client states, if it does so readably.
    package var value: Value? {
        switch self {
        case .missing, .unreadable: nil
        case .stated(let value): value
        }
    }
}

extension Claim {
    /// What several statements of the same part come to: equal ones are one, different ones are
    /// unreadable. (nginx takes the first, HAProxy the last: whoever chooses opens a bypass.)
    init(merging statements: some Sequence<Claim<Value>>) {
        var merged = Claim.missing
        for statement in statements {
            switch (merged, statement) {
            case (_, .missing), (.unreadable, _):
                continue
            case (_, .unreadable):
                // Nothing that is said besides makes it readable, and nobody has to read on.
                self = statement
                return
            case (.missing, _):
                merged = statement
            case (.stated(let one), .stated(let other)) where one != other:
                self = .unreadable(Excerpt("\(one), \(other)").text)
                return
            case (.stated, .stated):
                continue
            }
        }
        self = merged
    }

    func map<Other>(_ transform: (Value) -> Other) -> Claim<Other> {
        switch self {
        case .missing: .missing
        case .unreadable(let text): .unreadable(text)
        case .stated(let value):
            .stated(transform(value))
        }
    }
}
