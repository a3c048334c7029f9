package import GatePolicy

/// An operation of an API document: a method, and a path some segments of which may be anything.
package struct APIOperation: Sendable, Hashable {
    package let method: String
    /// As the document writes it, behind the path of its server.
    package let path: String
    /// The segments of a request for it that the census keeps; `nil`: nothing that would tell it from
    /// others.
    private let segments: [String]?
    /// The places of its parameters.
    private let parameters: Set<Int>

    package init(method: String, path: String) {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        self.method = method.uppercased()
        self.path = path
        self.parameters = Set(segments.indices.filter { segments[$0].contains("{") })
        let example = "/" + segments.map { $0.contains("{") ? "0" : $0 }.joined(separator: "/")
        let shape = PathShape(method: self.method.utf8.span, target: example.utf8.span)
        self.segments = shape?.segments
    }

    package var text: String { "\(self.method) \(self.path)" }

    /// The number of segments that are the same as in a request; `nil`: it does not fit.
    func fit(_ method: String, _ others: [String]) -> Int? {
        guard let segments, self.method == method, segments.count == others.count
        else { return nil }
        let literals = segments.indices.filter { !self.parameters.contains($0) }
        let isOne = literals.allSatisfy { segments[$0] == others[$0] }
        return isOne ? literals.count : nil
    }
}

/// The operations of an API document that old versions still call, by the shapes of the paths that were kept.
package struct OperationSurvey: Sendable {
    package enum Place: Sendable, Hashable {
        case operation(APIOperation)
        /// A path that is none of the document's.
        case path(PathShape)
        /// Paths of which no shape is kept.
        case other
    }

    /// The calls of old versions.
    package struct Line: Sendable {
        package let place: Place
        /// Estimated by the share that the shape has among the requests of each kind of client.
        package fileprivate(set) var requests = 0.0
        /// Those of the kinds of clients that called it: at most so many.
        package fileprivate(set) var devices = HyperLogLog()
        package fileprivate(set) var versions: Set<String> = []
        package fileprivate(set) var lastSeen: (start: Timestamp, length: Int64)?
    }

    private var filter: SunsetFilter
    private let operations: [APIOperation]
    private var places: [PathShape: Place] = [:]
    private var lines: [Place: Line] = [:]
    package private(set) var total = CensusFigures()

    package init(_ filter: SunsetFilter, _ operations: [APIOperation]) {
        self.filter = filter
        self.operations = operations
        for operation in operations {
            let place = Place.operation(operation)
            self.lines[place] = Line(place: place)
        }
    }

    /// Adds what was counted of a kind of client.
    package mutating func add(_ row: CensusRow) {
        guard let version = self.filter.version(of: row.cell) else { return }
        self.total.add(row.figures)
        let requests = Double(row.figures.requests)
        var rest = 1.0
        for (shape, share) in row.figures.shapes.shares(of: row.figures.requests) where share > 0 {
            rest -= share
            self.add(share * requests, at: self.place(of: shape), version, row.figures.devices)
        }
        if rest * requests >= 0.5 { self.add(rest * requests, at: .other, version, .init()) }
    }

    private mutating func add(
        _ requests: Double,
        at place: Place,
        _ version: String,
        _ devices: HyperLogLog
    ) {
        var line = self.lines.removeValue(forKey: place) ?? Line(place: place)
        line.requests += requests
        line.devices.merge(devices)
        line.versions.insert(version)
        self.lines[place] = line
    }

    /// Notes the last minute, hour or day in which a kind of client asked for a shape.
    package mutating func see(
        _ shape: PathShape,
        by cell: CensusCell,
        _ start: Timestamp,
        length: Int64
    ) {
        let place = self.place(of: shape)
        guard self.filter.version(of: cell) != nil, var line = self.lines[place] else { return }
        let end = start.advanced(by: length)
        guard line.lastSeen.map({ $0.start.advanced(by: $0.length) < end }) ?? true else { return }
        line.lastSeen = (start, length)
        self.lines[place] = line
    }

    private mutating func place(of shape: PathShape) -> Place {
        if let known = self.places[shape] { return known }
        let (method, segments) = (shape.method, shape.segments)
        let best = self.operations.compactMap { operation in
            operation.fit(method, segments).map { (operation, $0) }
        }.max { $0.1 < $1.1 }
        let place = best.map { Place.operation($0.0) } ?? .path(shape)
        self.places[shape] = place
        return place
    }

    /// The operations that were found, those with most requests first, and those that nobody calls.
    package var found: [Line] {
        self.lines.values.sorted { left, right in
            left.requests == right.requests
                ? left.place.words < right.place.words : left.requests > right.requests
        }
    }
}

extension OperationSurvey.Place {
    /// As a table shows it.
    package var words: String {
        switch self {
        case .operation(let operation): operation.text
        case .path(let shape): "(\(shape.text))"
        case .other: "(other)"
        }
    }
}

/// Whether a client of the census is one of the old ones.
package struct SunsetFilter: Sendable {
    private let bound: AppVersion
    private let isWanted: @Sendable (CensusClient) -> Bool
    private var known: [String: Bool] = [:]

    /// The versions below one of them; a pre-release counts as the release that it leads to.
    package init(
        below bound: AppVersion,
        isWanted: @escaping @Sendable (CensusClient) -> Bool = { _ in true }
    ) {
        self.bound = bound
        self.isWanted = isWanted
    }

    /// The version of a cell, as its clients write it; `nil`: it is not an old one.
    mutating func version(of cell: CensusCell) -> String? {
        guard let client = cell.client, let text = client.version.text, self.isBelow(text),
            self.isWanted(client)
        else { return nil }
        return text
    }

    private mutating func isBelow(_ text: String) -> Bool {
        if let known = self.known[text] { return known }
        let isBelow = (try? AppVersion(parsing: text)).map { $0.release < self.bound } ?? false
        self.known[text] = isBelow
        return isBelow
    }
}
