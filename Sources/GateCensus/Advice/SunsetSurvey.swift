package import GatePolicy

/// The paths that old versions still call.
package struct SunsetSurvey: Sendable {
    /// A path pattern of the rules, or the requests that match no pattern.
    package enum Place: Sendable, Hashable {
        case pattern(String)
        /// Requests that are exempt from evaluation.
        case exempt
        case other
    }

    /// The calls from old versions.
    package struct Line: Sendable {
        package let place: Place
        package fileprivate(set) var figures = CensusFigures()
        /// The versions, as sent by clients.
        package fileprivate(set) var versions: Set<String> = []
        /// The last minute, hour or day with a request.
        package fileprivate(set) var lastSeen: (start: Timestamp, end: Timestamp)
    }

    private var filter: SunsetFilter
    private var lines: [Place: Line] = [:]
    /// All calls from old versions, each counted once.
    package private(set) var total = CensusFigures()

    package init(_ filter: SunsetFilter) {
        self.filter = filter
    }

    package mutating func add(_ period: CensusPeriod) {
        // A period without requests contains only late responses to earlier requests.
        guard period.figures.requests > 0, let version = self.filter.version(of: period.cell)
        else { return }
        self.total.add(period.figures)
        let paths = period.cell.outcome.paths
        let places: [Place] =
            paths.isExempt
            ? [.exempt] : paths.patterns.isEmpty ? [.other] : paths.patterns.map { .pattern($0) }
        let span = (start: period.start, end: period.start.advanced(by: period.length))
        for place in places {
            var line =
                self.lines.removeValue(forKey: place) ?? Line(place: place, lastSeen: span)
            line.figures.add(period.figures)
            line.versions.insert(version)
            if line.lastSeen.end < span.end { line.lastSeen = span }
            self.lines[place] = line
        }
    }

    /// The paths in descending order of requests.
    package var found: [Line] {
        self.lines.values.sorted(byRequests: \.figures.requests, thenBy: \.place.order)
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
