package import GatePolicy

/// The shapes of the paths that old versions call, for requests that match no pattern of the rules.
package struct ShapeSurvey: Sendable {
    /// The calls from old versions.
    package struct Line: Sendable {
        package let shape: PathShape
        package let figures: EstimatedFigures
    }

    private var filter: SunsetFilter
    private var figures: [PathShape?: EstimatedFigures] = [:]

    package init(_ filter: SunsetFilter) {
        self.filter = filter
    }

    private static func isOther(_ cell: CensusCell) -> Bool {
        !cell.outcome.paths.isExempt && cell.outcome.paths.patterns.isEmpty
    }

    /// Adds a row of the census.
    package mutating func add(_ row: CensusRow) {
        guard Self.isOther(row.cell), let version = self.filter.version(of: row.cell) else {
            return
        }
        for (shape, requests) in row.figures.requestsByShape {
            self.figures[shape?.general, default: EstimatedFigures()]
                .add(requests, version, row.figures.devices)
        }
    }

    /// Records the end of the last minute, hour or day in which a cell's clients requested a path of this shape.
    package mutating func see(_ shape: PathShape, by cell: CensusCell, until end: Timestamp) {
        guard Self.isOther(cell), self.filter.version(of: cell) != nil else { return }
        self.figures[shape.general]?.see(until: end)
    }

    /// The shapes in descending order of requests.
    package var found: [Line] {
        self.figures.compactMap { shape, figures in
            shape.map { Line(shape: $0, figures: figures) }
        }.sorted(byRequests: \.figures.requests, thenBy: \.shape.text)
    }

    /// The requests without a stored shape; `nil` if there are none.
    package var others: EstimatedFigures? { self.figures[PathShape?.none] }
}
