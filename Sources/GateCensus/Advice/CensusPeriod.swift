package import GatePolicy

/// A cell in a minute, an hour or a day, as it is kept.
package struct CensusPeriod: Sendable {
    /// The first second.
    package let start: Timestamp
    /// Seconds: the requests came somewhere within them.
    package let length: Int64
    package let cell: CensusCell
    package let figures: CensusFigures

    package init(start: Timestamp, length: Int64, cell: CensusCell, figures: CensusFigures) {
        self.start = start
        self.length = length
        self.cell = cell
        self.figures = figures
    }
}

extension Timestamp {
    /// Days since 1970, in UTC.
    package var day: Int64 { self.secondsSinceEpoch / 86_400 }
}

/// Whether clients of the census pass by the rules, and which version they are judged by; each kind of them
/// is looked at once.
struct PassingJudge: Sendable {
    /// A kind of request: those that its outcome was another one of are judged alike.
    private struct Kind: Hashable {
        let client: CensusClient
        let paths: CensusPaths
    }

    private let ruleSet: RuleSet
    private let now: Timestamp
    private var passing: [Kind: Bool] = [:]
    private var versions: [String: AppVersion?] = [:]

    init(_ ruleSet: RuleSet, _ now: Timestamp) {
        self.ruleSet = ruleSet
        self.now = now
    }

    /// Whether rules refuse it nothing, but would if they asked for more: an exempt path is nobody's.
    mutating func passes(_ cell: CensusCell) -> Bool {
        guard let client = cell.client, !cell.outcome.paths.isExempt else { return false }
        let kind = Kind(client: client, paths: cell.outcome.paths)
        if let known = self.passing[kind] { return known }
        let matched = Set(cell.outcome.paths.patterns)
        let decision = self.ruleSet.decide(
            client.identity,
            in: self.ruleSet.scope { matched.contains($0) },
            at: self.now,
            address: nil,
            ignoresMaintenance: true
        )
        self.passing[kind] = decision.kind < .require
        return decision.kind < .require
    }

    /// A client's version as floors usually judge it: a pre-release as the release that it leads to.
    mutating func version(of client: CensusClient) -> AppVersion? {
        guard let text = client.version.text else { return nil }
        if let known = self.versions[text] { return known }
        let version = (try? AppVersion(parsing: text))?.release
        self.versions[text] = .some(version)
        return version
    }
}
