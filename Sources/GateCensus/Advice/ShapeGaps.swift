/// The requests whose path shapes are missing from the census.
package struct ShapeGaps: Sendable, Equatable, Encodable {
    /// The number of requests without a stored shape, because their path is long or ambiguous, or
    /// because there were too many shapes.
    package private(set) var shapeless: UInt64 = 0
    /// The number of requests that arrived while the path log was full; they are assumed to be
    /// distributed like the requests in the log.
    package private(set) var estimated: UInt64 = 0
    /// The number of requests that were counted before the gate stored shapes.
    package private(set) var early: UInt64 = 0
    /// The number of requests from clients without a cell of their own; some of these clients may have
    /// the requested versions.
    package private(set) var unknownClients: UInt64 = 0

    /// Whether the shapes prove which paths were not called.
    package var isEmpty: Bool { self == ShapeGaps() }

    mutating func add(_ figures: CensusFigures) {
        let shapes = figures.shapes
        let covered = min(shapes.covered, figures.requests)
        self.early += figures.requests - covered
        self.shapeless += shapes.shapeless
        let seen = min(covered, shapes.shapeless + shapes.counts.values.reduce(0, +))
        self.estimated += covered - seen
    }

    mutating func add(unknownClients requests: UInt64) {
        self.unknownClients += requests
    }
}
