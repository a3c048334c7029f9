internal import GatePolicy

/// The blocked versions: in each version piece, the versions below a floor.
struct BlockedVersions: Equatable {
    private var spans: [VersionSpan] = []

    /// Blocks those versions of a piece that are below a floor; pieces must be added in ascending order.
    mutating func block(below floor: AppVersion, in piece: VersionPiece) {
        if let lower = piece.lower, floor <= lower { return }
        var span = VersionSpan(piece)
        span.upper = piece.upper.map { min($0, floor) } ?? floor
        if let last = self.spans.last, last.upper == span.lower, last.hasUpper || span.hasLower {
            self.spans[self.spans.count - 1].join(span)
        } else {
            self.spans.append(span)
        }
    }

    /// The version below which all versions are blocked; `nil` if there is none.
    var minimum: AppVersion? {
        self.spans.first.flatMap { $0.lower == nil ? $0.upper : nil }
    }

    /// The blocked ranges that are not below the minimum.
    var ranges: [VersionRange] {
        self.spans.compactMap { span in
            guard span.lower == nil else { return span.range }
            // The minimum already blocks the versions below the upper bound, but not the bound itself.
            guard let upper = span.upper, span.hasUpper else { return nil }
            return try? VersionRange(parsing: "\(upper)")
        }
    }
}
