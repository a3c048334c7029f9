import ConformanceCases

/// The result of one contestant in one case.
struct CaseResult {
    let each: ConformanceCase
    let contestant: Contestant
    /// The things that were not as they must be.
    let violations: [String]
    /// The observation in one line.
    let observed: String

    var passed: Bool { self.violations.isEmpty }
}
