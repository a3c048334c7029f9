internal import GatePolicy

/// A part of all versions within which no condition changes: one version, or what lies between two.
struct VersionPiece: Equatable {
    /// Where it begins; `nil` for the first.
    let lower: AppVersion?
    /// Where it ends; `nil` for the last.
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
