/// The rules that a feed currently contributes.
package struct FeedContribution: Sendable, Equatable {
    /// The fingerprint of the feed's entry at the time of the fetch.
    package let fingerprint: String
    package let value: FeedValue
    /// Earlier values, oldest first, whose floors stay active until the floors of this value take effect.
    package var earlier: [FeedValue]
    /// The rules files that the feed contributes, as one string for display.
    package var document: String { self.value.document }
    /// Whether the rules are in observe mode because the feed has failed for too long.
    package var isObserved: Bool

    package init(
        fingerprint: String,
        value: FeedValue,
        earlier: [FeedValue] = [],
        isObserved: Bool = false
    ) {
        self.fingerprint = fingerprint
        self.value = value
        self.earlier = earlier
        self.isObserved = isObserved
    }

    /// Whether the value was fetched with the current entry and converted by the current version of the code.
    package func isValid(for feed: FeedDefinition) -> Bool {
        self.fingerprint == feed.fingerprint
            && self.value.interpretation == feed.source.interpretation
    }

    /// Returns the contribution with the feed's earlier values, whose floors may have to stay
    /// active.
    package func following(_ former: FeedContribution?) -> FeedContribution {
        guard let former, former.fingerprint == self.fingerprint,
            former.value.interpretation == self.value.interpretation
        else { return self }
        var next = self
        let isNew = former.value.files != self.value.files
        let history = former.earlier + (isNew ? [former.value] : [])
        // The floor of the oldest value applies to all clients, so the second-oldest value is
        // dropped instead.
        next.earlier =
            history.count > Self.historyLimit
            ? [history[0]] + history.suffix(Self.historyLimit - 1) : history
        return next
    }

    /// The maximum number of earlier values.
    private static let historyLimit = 8
}
