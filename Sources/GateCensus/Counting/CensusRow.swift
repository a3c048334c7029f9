package import GatePolicy

/// A cell over some time, as it was kept.
package struct CensusRow: Sendable, Equatable {
    package let cell: CensusCell
    /// The paths that rules knew at that time: see `RuleSet.censusPaths`.
    ///
    /// Of others, nobody looked whether requests were for them.
    package let known: Set<String>
    package var figures: CensusFigures

    package init(cell: CensusCell, known: Set<String>, figures: CensusFigures) {
        self.cell = cell
        self.known = known
        self.figures = figures
    }
}

extension RuleSet {
    /// The request patterns of rules and of exemptions, each as a text of its own.
    package var censusPaths: Set<String> { Set(self.patterns).union(self.exemptPaths) }

    /// Those of exemptions alone.
    var exemptPaths: Set<String> { Set(self.exemptPatterns.map { CensusPaths.exemption + $0 }) }
}
