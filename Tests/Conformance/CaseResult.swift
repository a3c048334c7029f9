import ConformanceCases

/// What one contestant made of one case.
struct CaseResult {
    let each: ConformanceCase
    let contestant: Contestant
    /// What was not as it must be.
    let violations: [String]
    /// What came, in one line.
    let observed: String

    var passed: Bool { self.violations.isEmpty }
}
