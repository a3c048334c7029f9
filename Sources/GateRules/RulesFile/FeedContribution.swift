/// A feed's addition to the rules at the moment.
package struct FeedContribution: Sendable, Equatable {
    /// Of the feed's entry that it came by.
    package let fingerprint: String
    package let value: FeedValue
    /// The values before it whose floors go on until this one's are in force, the oldest first.
    package var earlier: [FeedValue]
    /// The rules files that it adds, as one text for people.
    package var document: String { self.value.document }
    /// Whether its rules are only counted and logged, because it has been silent for too long.
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

    /// Whether it is what the entry of a feed says, read as this program reads it.
    package func isValid(for feed: FeedDefinition) -> Bool {
        self.fingerprint == feed.fingerprint
            && self.value.interpretation == feed.source.interpretation
    }

    /// The same after what the feed has said so far, whose floors may have to go on below it.
    package func following(_ former: FeedContribution?) -> FeedContribution {
        guard let former, former.fingerprint == self.fingerprint,
            former.value.interpretation == self.value.interpretation
        else { return self }
        var next = self
        let isNew = former.value.files != self.value.files
        let history = former.earlier + (isNew ? [former.value] : [])
        // The oldest is the floor for everybody; between it and the newest, the middle may go.
        next.earlier =
            history.count > Self.historyLimit
            ? [history[0]] + history.suffix(Self.historyLimit - 1) : history
        return next
    }

    /// How many values before the current one are remembered.
    private static let historyLimit = 8
}
