package import GatePolicy

/// The operations of API documents that old versions still call, found using the stored path
/// shapes.
package struct OperationSurvey: Sendable {
    package enum Place: Sendable, Hashable {
        /// An operation, by its index, and the path at which it is called.
        case operation(Int, path: String)
        /// A path that is not in any document.
        case path(PathShape)
        /// Paths without a stored shape.
        case other
    }

    /// Whether an operation was called.
    package enum Calls: Sendable, Hashable {
        case some
        /// Requests that may belong to this operation or to another operation.
        case possible
        /// No requests, although the census would contain them.
        case none
        /// No requests in the census, which may be incomplete.
        case unknown(Doubt)
    }

    /// The reason why the census does not show whether an operation was called.
    package enum Doubt: Sendable, Hashable {
        /// The shapes of some requests are missing.
        case missingShapes
        /// Requests for the operation have no shape.
        case noShape
        /// Requests for the operation are not counted.
        case uncounted
        /// Clients that send no version call the operation.
        case unversionedClients
        /// No request matches the document, or the server.
        case misfit
        /// The document was not read completely.
        case unread(String)
        /// The census does not cover the whole period.
        case uncoveredTime
    }

    /// The calls from old versions.
    package struct Line: Sendable {
        package let place: Place
        package fileprivate(set) var calls: Calls
        /// The figures; the number of requests is an upper bound if `calls` is `.possible`.
        package fileprivate(set) var figures = EstimatedFigures()
    }

    /// A document or server whose paths match no request, and requests that may belong to it.
    package struct Misfit: Sendable, Hashable {
        package let document: Int
        /// Whether no operation of the document matches a request.
        package let isWhole: Bool
        /// Examples of the shapes of requests that may belong to the document or server.
        package let seen: [PathShape]
        /// The path that precedes the document's path in the most frequent of these requests.
        package let base: String?
    }

    private let index: OperationIndex
    private var filter: SunsetFilter
    private var placements: [PathShape: OperationIndex.Placement] = [:]
    private var lines: [Target: Line] = [:]
    /// The operations that clients without a version call.
    private var unversioned: Set<Int> = []
    package private(set) var total = CensusFigures()
    package private(set) var gaps = ShapeGaps()

    package var operations: [APIOperation] { self.index.operations }

    package init(_ filter: SunsetFilter, _ operations: [APIOperation]) {
        self.filter = filter
        self.index = OperationIndex(operations)
    }

    /// The target of calls, before the calls are assigned to lines of the report.
    private enum Target: Hashable {
        /// Calls that belong to a single address of an operation.
        case certain(OperationIndex.Target)
        /// Calls that may belong to an address of an operation.
        case possible(OperationIndex.Target)
        /// Calls at another path, which may belong to an operation.
        case elsewhere(Int)
        case path(PathShape)
        case other
    }

    /// Adds a row of the census.
    package mutating func add(_ row: CensusRow) {
        switch self.filter.standing(of: row.cell) {
        case .other: return
        case .unknown: self.gaps.add(unknownClients: row.figures.requests)
        case .unversioned:
            for shape in row.figures.shapes.counts.keys {
                self.unversioned.formUnion(self.placement(of: shape).operations)
            }
        case .old(let version):
            self.total.add(row.figures)
            self.gaps.add(row.figures)
            for (shape, requests) in row.figures.requestsByShape {
                let devices = shape == nil ? HyperLogLog() : row.figures.devices
                for target in self.targets(of: shape) {
                    var line = self.lines.removeValue(forKey: target) ?? self.line(of: target)
                    line.figures.add(requests, version, devices)
                    self.lines[target] = line
                }
            }
        }
    }

    /// Records the end of the last minute, hour or day in which a cell's clients requested a path of this shape.
    package mutating func see(_ shape: PathShape, by cell: CensusCell, until end: Timestamp) {
        guard self.filter.version(of: cell) != nil else { return }
        for target in self.targets(of: shape) { self.lines[target]?.figures.see(until: end) }
    }

    private mutating func placement(of shape: PathShape) -> OperationIndex.Placement {
        if let known = self.placements[shape] { return known }
        let placement = self.index.placement(of: shape)
        self.placements[shape] = placement
        return placement
    }

    private mutating func targets(of shape: PathShape?) -> [Target] {
        guard let shape else { return [.other] }
        return switch self.placement(of: shape) {
        case .certain(let target): [.certain(target)]
        case .possible(let targets): targets.map { .possible($0) }
        case .elsewhere(let operations):
            operations.map { .elsewhere($0) } + [.path(shape.general)]
        }
    }

    private func line(of target: Target) -> Line {
        switch target {
        case .certain(let target): Line(place: self.place(of: target), calls: .some)
        case .possible(let target): Line(place: self.place(of: target), calls: .possible)
        case .elsewhere(let operation):
            Line(place: self.place(of: .init(operation: operation)), calls: .possible)
        case .path(let shape): Line(place: .path(shape), calls: .some)
        case .other: Line(place: .other, calls: .some)
        }
    }

    private func place(of target: OperationIndex.Target) -> Place {
        let operation = self.operations[target.operation]
        let path =
            operation.addresses.indices.contains(target.address)
            ? operation.addresses[target.address].path : operation.path
        return .operation(target.operation, path: path)
    }
}

/// The results of the survey.
extension OperationSurvey {
    /// Returns the operations and other paths in descending order of requests, including operations
    /// without requests.
    ///
    /// `isCovered` indicates whether the census covers the whole requested period.
    package func found(isCovered: Bool = true) -> [Line] {
        let misfits = Set(self.misfits.flatMap(\.operations))
        let operations = self.operations.indices.flatMap { number in
            self.lines(of: number, misfits, isCovered: isCovered)
        }
        let others = self.lines.compactMap { target, line -> Line? in
            switch target {
            case .path, .other: line
            case .certain, .possible, .elsewhere: nil
            }
        }
        return (operations + others)
            .sorted(byRequests: \.figures.requests) { $0.place.text(self.operations) }
    }

    /// The documents, or servers of a document, that match no request.
    package var mismatches: [Misfit] { self.misfits.map(\.misfit) }

    private func lines(
        of operation: Int,
        _ misfits: Set<Int>,
        isCovered: Bool
    ) -> [Line] {
        let addresses = self.operations[operation].addresses.indices
        let called = addresses.compactMap { address -> Line? in
            let target = OperationIndex.Target(operation: operation, address: address)
            let possible = self.lines[.possible(target)]
            guard var line = self.lines[.certain(target)] else { return possible }
            guard let possible else { return line }
            line.figures.add(possible.figures)
            line.calls = .possible
            return line
        }
        guard called.isEmpty else { return called }
        if let line = self.lines[.elsewhere(operation)] { return [line] }
        let place = self.place(of: .init(operation: operation))
        let doubt = self.doubt(about: operation, misfits) ?? (isCovered ? nil : .uncoveredTime)
        return [Line(place: place, calls: doubt.map { .unknown($0) } ?? .none)]
    }

    private func doubt(about number: Int, _ misfits: Set<Int>) -> Doubt? {
        let operation = self.operations[number]
        if let reason = operation.unread { return .unread(reason) }
        if misfits.contains(number) { return .misfit }
        if self.unversioned.contains(number) { return .unversionedClients }
        if operation.isUncounted { return .uncounted }
        if !operation.hasShape { return .noShape }
        return self.gaps.isEmpty ? nil : .missingShapes
    }

    /// The documents and servers that match no request, with their operations and examples of
    /// requests.
    private var misfits: [(misfit: Misfit, operations: [Int])] {
        guard self.total.requests > 0 else { return [] }
        var fitting: Set<Int> = []
        var others: [(shape: PathShape, requests: Double)] = []
        for (target, line) in self.lines {
            switch target {
            case .certain(let target), .possible(let target): fitting.insert(target.operation)
            case .elsewhere(let operation): fitting.insert(operation)
            case .path(let shape): others.append((shape, line.figures.requests))
            case .other: break
            }
        }
        others.sort { ($1.requests, $0.shape.text) < ($0.requests, $1.shape.text) }
        guard !others.isEmpty else { return [] }
        let documents = Dictionary(grouping: self.operations.indices) {
            self.operations[$0].document
        }.sorted { $0.key < $1.key }
        guard fitting.isEmpty else {
            return documents.flatMap { self.misfits(of: $0.key, $0.value, fitting, others) }
        }
        return documents.map { document, operations in
            let seen = self.index.others(others, like: operations)
            let shapes = seen.isEmpty ? others.map(\.shape) : seen.map(\.shape)
            let misfit = Misfit(
                document: document,
                isWhole: true,
                seen: Array(shapes.prefix(Self.maximumExamples)),
                base: seen.first?.base
            )
            return (misfit, operations)
        }
    }

    /// The maximum number of example paths in a report.
    private static var maximumExamples: Int { 3 }

    /// Returns the misfits among a document's servers, if other servers match.
    private func misfits(
        of document: Int,
        _ operations: [Int],
        _ fitting: Set<Int>,
        _ others: [(shape: PathShape, requests: Double)]
    ) -> [(misfit: Misfit, operations: [Int])] {
        Dictionary(grouping: operations) { self.operations[$0].bases }
            .filter { fitting.isDisjoint(with: $0.value) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .compactMap { _, operations in
                let seen = self.index.others(others, like: operations)
                guard let first = seen.first else { return nil }
                let misfit = Misfit(
                    document: document,
                    isWhole: false,
                    seen: seen.prefix(Self.maximumExamples).map(\.shape),
                    base: first.base
                )
                let meant = operations.filter { number in
                    seen.contains { $0.operations.contains(number) }
                }
                return (misfit, meant)
            }
    }
}

extension OperationSurvey.Place {
    /// Returns the operation or path, for a table.
    package func text(_ operations: [APIOperation]) -> String {
        switch self {
        case .operation(let number, let path): operations[number].text(at: path)
        case .path(let shape): "(\(shape.text))"
        case .other: "(other)"
        }
    }
}
