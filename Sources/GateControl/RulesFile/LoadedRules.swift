package import GatePolicy

/// The rules of a file or folder, read whole and found to be right.
package struct LoadedRules: Sendable, Equatable {
    package let definition: RuleSetDefinition
    let places: RulesPlaces
}
