package import GatePolicy

/// The paths that old versions still call.
package struct SunsetSurvey: Sendable {
    /// A path pattern of the rules, or the requests that match none.
    package enum Place: Sendable, Hashable {
        case pattern(String)
        /// What is never judged.
        case exempt
        case other
    }

    /// The calls of old versions.
    package struct Line: Sendable {
        package let place: Place
        package fileprivate(set) var figures = CensusFigures()
        /// The versions, as they state them.
        package fileprivate(set) var versions: Set<String> = []
        /// The last minute, hour or day in which one came, and the seconds that it has.
        package fileprivate(set) var lastSeen: (start: Timestamp, length: Int64)?
    }

    private let bound: AppVersion
    private let isWanted: @Sendable (CensusClient) -> Bool
    private var known: [String: Bool] = [:]
    private var lines: [Place: Line] = [:]
    /// All calls of old versions, each once.
    package private(set) var total = CensusFigures()

    /// A survey of the versions below one of them; a pre-release counts as the release that it leads to.
    package init(
        below bound: AppVersion,
        isWanted: @escaping @Sendable (CensusClient) -> Bool = { _ in true }
    ) {
        self.bound = bound
        self.isWanted = isWanted
    }

    package mutating func add(_ period: CensusPeriod) {
        guard let client = period.cell.client, let version = client.version.text,
            self.isBelow(version), self.isWanted(client)
        else { return }
        self.total.add(period.figures)
        let paths = period.cell.outcome.paths
        let places: [Place] =
            paths.isExempt
            ? [.exempt] : paths.patterns.isEmpty ? [.other] : paths.patterns.map { .pattern($0) }
        for place in places {
            var line = self.lines.removeValue(forKey: place) ?? Line(place: place)
            line.figures.add(period.figures)
            line.versions.insert(version)
            let end = period.start.advanced(by: period.length)
            if line.lastSeen.map({ $0.start.advanced(by: $0.length) < end }) ?? true {
                line.lastSeen = (period.start, period.length)
            }
            self.lines[place] = line
        }
    }

    private mutating func isBelow(_ text: String) -> Bool {
        if let known = self.known[text] { return known }
        let isBelow = (try? AppVersion(parsing: text)).map { $0.release < self.bound } ?? false
        self.known[text] = isBelow
        return isBelow
    }

    /// What was found, those with most requests first.
    package var found: [Line] {
        self.lines.values.sorted { left, right in
            left.figures.requests == right.figures.requests
                ? left.place.order < right.place.order
                : left.figures.requests > right.figures.requests
        }
    }
}

extension SunsetSurvey.Place {
    fileprivate var order: String {
        switch self {
        case .pattern(let text): "0\(text)"
        case .exempt: "1"
        case .other: "2"
        }
    }
}
