/// What a feed adds to the rules at the moment.
package struct FeedContribution: Sendable, Equatable {
    /// Of the feed's entry that it came by.
    let fingerprint: String
    let value: FeedValue
    /// The rules files that it adds, as one text for people.
    package var document: String { self.value.document }
    /// Whether its rules are only counted and logged, because it has been silent for too long.
    var isObserved = false
}
