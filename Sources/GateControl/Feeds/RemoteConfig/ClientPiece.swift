internal import GatePolicy

/// Clients that no condition tells apart, as far as versions and builds go.
struct ClientPiece: Equatable {
    let versions: VersionPiece
    let builds: BuildPiece
}

/// A part of all builds within which no condition changes.
struct BuildPiece: Equatable {
    let builds: ClosedRange<UInt64>

    /// Cuts all builds at the thresholds of conditions, in ascending order.
    static func all(cutAt thresholds: [UInt64]) -> [BuildPiece] {
        var pieces: [BuildPiece] = []
        var lowest: UInt64 = 0
        for threshold in Set(thresholds).sorted() {
            if lowest < threshold { pieces.append(BuildPiece(builds: lowest...threshold - 1)) }
            pieces.append(BuildPiece(builds: threshold...threshold))
            guard threshold < .max else { return pieces }
            lowest = threshold + 1
        }
        pieces.append(BuildPiece(builds: lowest ... .max))
        return pieces
    }

    /// Whether its builds have a relation to one of the thresholds; all of them have, or none.
    func meets(_ relation: RemoteConfigCondition.Relation, _ threshold: UInt64) -> Bool {
        relation.holds(self.builds.lowerBound, threshold)
    }
}
