/// The requests of which the census does not have the shape of the path.
package struct ShapeGaps: Sendable, Equatable {
    /// Those of which no shape is kept: their paths are long, or have several readings, or there were too many.
    package private(set) var shapeless: UInt64 = 0
    /// Those that came while there was no room for paths; their shares are taken from the others.
    package private(set) var estimated: UInt64 = 0
    /// Those that were counted before shapes were kept.
    package private(set) var early: UInt64 = 0
    /// Those of clients that there was no room for; some of them may be of the versions asked for.
    package private(set) var unknownClients: UInt64 = 0

    package init() {}

    /// Whether the shapes tell which paths were not called.
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
