package import GatePolicy

/// The rules of a file or folder and of its feeds, read whole and found to be right.
package struct LoadedRules: Sendable, Equatable {
    package let definition: RuleSetDefinition
    /// The feeds that the file names, whether they have said something or not.
    package let feeds: [FeedDefinition]
    let places: RulesPlaces
    /// The files themselves, to be joined with what feeds will say.
    let sources: [RulesSource]
}
