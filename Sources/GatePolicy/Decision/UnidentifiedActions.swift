/// The actions of the policy for unidentified clients, for requests in one scope.
struct UnidentifiedActions: Sendable {
    private var missing: UnidentifiedPolicy.Action
    private var unreadable: UnidentifiedPolicy.Action

    /// Creates the actions; `nil` represents `allow`.
    init(_ missing: UnidentifiedPolicy.Action?, _ unreadable: UnidentifiedPolicy.Action?) {
        self.missing = missing ?? .allow
        self.unreadable = unreadable ?? .allow
    }

    /// Replaces each action with the corresponding action from `other`, if that action is stricter.
    mutating func tighten(_ other: UnidentifiedActions) {
        self.missing = max(self.missing, other.missing)
        self.unreadable = max(self.unreadable, other.unreadable)
    }

    /// The same actions, with `observe` instead of `reject`.
    var observing: UnidentifiedActions {
        UnidentifiedActions(min(self.missing, .observe), min(self.unreadable, .observe))
    }

    func action(on gap: IdentityGap) -> UnidentifiedPolicy.Action {
        switch gap {
        case .missing: self.missing
        case .unreadable: self.unreadable
        }
    }
}

extension UnidentifiedPolicy.Action: Comparable {
    package static func < (
        left: UnidentifiedPolicy.Action,
        right: UnidentifiedPolicy.Action
    ) -> Bool {
        left.strictness < right.strictness
    }

    private var strictness: Int {
        switch self {
        case .allow: 0
        case .observe: 1
        case .reject: 2
        }
    }
}
