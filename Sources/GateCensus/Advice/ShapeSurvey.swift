package import GatePolicy

/// The shapes of the paths that old versions call, for requests that match no pattern of the rules.
package struct ShapeSurvey: Sendable {
    /// The calls of old versions.
    package struct Line: Sendable {
        /// The shape; `nil` for requests without a stored shape.
        package let shape: PathShape?
        /// The number of requests, estimated from the share of the shape in the requests of each
        /// kind of client.
        package fileprivate(set) var requests = 0.0
        /// An upper bound on the devices: the devices of all kinds of clients that called the path.
        package fileprivate(set) var devices = HyperLogLog()
        package fileprivate(set) var versions: Set<String> = []
        package fileprivate(set) var lastSeen: (start: Timestamp, length: Int64)?
    }

    private var filter: SunsetFilter
    private var lines: [PathShape?: Line] = [:]

    package init(_ filter: SunsetFilter) {
        self.filter = filter
    }

    private static func isOther(_ cell: CensusCell) -> Bool {
        !cell.outcome.paths.isExempt && cell.outcome.paths.patterns.isEmpty
    }

    /// Adds the figures of a kind of client.
    package mutating func add(_ row: CensusRow) {
        guard Self.isOther(row.cell), let version = self.filter.version(of: row.cell) else {
            return
        }
        let requests = Double(row.figures.requests)
        var rest = 1.0
        for (shape, share) in row.figures.shapes.shares(of: row.figures.requests) where share > 0 {
            rest -= share
            self.add(share * requests, at: shape.general, version, row.figures.devices)
        }
        if rest * requests >= 0.5 {
            self.add(rest * requests, at: nil, version, row.figures.devices)
        }
    }

    private mutating func add(
        _ requests: Double,
        at shape: PathShape?,
        _ version: String,
        _ devices: HyperLogLog
    ) {
        var line = self.lines.removeValue(forKey: shape) ?? Line(shape: shape)
        line.requests += requests
        line.devices.merge(devices)
        line.versions.insert(version)
        self.lines[shape] = line
    }

    /// Records the last minute, hour or day in which a kind of client requested a path of this
    /// shape.
    package mutating func see(
        _ shape: PathShape,
        by cell: CensusCell,
        _ start: Timestamp,
        length: Int64
    ) {
        let shape = shape.general
        guard Self.isOther(cell), self.filter.version(of: cell) != nil,
            let last = self.lines[shape].map(\.lastSeen)
        else { return }
        let end = start.advanced(by: length)
        guard last.map({ $0.start.advanced(by: $0.length) < end }) ?? true else { return }
        self.lines[shape]?.lastSeen = (start, length)
    }

    /// The shapes in descending order of requests; the line without a shape is the last one.
    package var found: [Line] {
        self.lines.values.sorted { left, right in
            guard let first = left.shape, let second = right.shape else { return left.shape != nil }
            return left.requests == right.requests
                ? first.text < second.text : left.requests > right.requests
        }
    }
}
