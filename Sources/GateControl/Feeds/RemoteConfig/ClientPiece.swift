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

/// A part of all versions within which no condition changes: one version, or what lies between two.
struct VersionPiece: Equatable {
    /// The version at which it begins; `nil` for the first piece.
    let lower: AppVersion?
    /// The version at which it ends; `nil` for the last piece.
    let upper: AppVersion?

    /// A single version begins and ends with itself; others have neither of their ends.
    var isSingle: Bool { self.lower != nil && self.lower == self.upper }

    /// Cuts all versions at the thresholds of conditions, in ascending order.
    static func all(cutAt thresholds: [AppVersion]) -> [VersionPiece] {
        var pieces: [VersionPiece] = []
        var lower: AppVersion?
        for threshold in Set(thresholds).sorted() {
            pieces.append(VersionPiece(lower: lower, upper: threshold))
            pieces.append(VersionPiece(lower: threshold, upper: threshold))
            lower = threshold
        }
        pieces.append(VersionPiece(lower: lower, upper: nil))
        return pieces
    }

    /// Whether its versions have a relation to one of the thresholds; all of them have, or none.
    func meets(_ relation: RemoteConfigCondition.Relation, _ threshold: AppVersion) -> Bool {
        if self.isSingle, self.lower == threshold { return relation.holds(0, 0) }
        let isBelow = self.upper.map { $0 <= threshold } ?? false
        return relation.holds(isBelow ? -1 : 1, 0)
    }
}
