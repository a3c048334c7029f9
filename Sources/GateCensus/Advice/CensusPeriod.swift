package import GatePolicy

/// The stored figures of a cell for a minute, an hour or a day.
package struct CensusPeriod: Sendable {
    /// The first second of the period.
    package let start: Timestamp
    /// The length in seconds; the times of requests within the period are unknown.
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
    /// The number of days since 1970, in UTC.
    package var day: Int64 { self.secondsSinceEpoch / 86_400 }
}

/// A client, and the paths that its requests matched; requests that differ only in their outcome
/// are evaluated together.
struct ClientKind: Sendable, Hashable {
    let client: CensusClient
    let paths: CensusPaths

    /// Creates the client kind of a cell; returns `nil` for exempt paths, and for clients beyond the cell limit.
    init?(_ cell: CensusCell) {
        guard let client = cell.client, !cell.outcome.paths.isExempt else { return nil }
        self.client = client
        self.paths = cell.outcome.paths
    }
}

/// Determines whether clients in the census pass the rules, and returns their versions in the form
/// that floors are compared with.
///
/// Each kind of client is evaluated once.
struct ClientEvaluator: Sendable {
    private let view: CensusView
    private var passing: [ClientKind: Bool] = [:]
    private var versions: [String: AppVersion?] = [:]

    init(_ ruleSet: RuleSet, _ now: Timestamp) {
        self.view = CensusView(ruleSet, now, ignoresMaintenance: true)
    }

    /// Returns whether a cell's requests pass and stricter rules could deny them; `false` for exempt
    /// paths and for clients beyond the cell limit.
    mutating func passes(_ cell: CensusCell) -> Bool {
        guard let kind = ClientKind(cell) else { return false }
        if let known = self.passing[kind] { return known }
        let scope = self.view.scope(of: kind.paths)
        let passes = !self.view.decide(kind.client.identity, in: scope).denies
        self.passing[kind] = passes
        return passes
    }

    /// Returns a client's version in the form that floors are usually compared with: a pre-release
    /// counts as its release.
    mutating func version(of client: CensusClient) -> AppVersion? {
        guard let text = client.version.text else { return nil }
        if let known = self.versions[text] { return known }
        let version = (try? AppVersion(parsing: text))?.release
        self.versions[text] = .some(version)
        return version
    }
}
