internal import GatePolicy

/// The blocked versions: in each piece, those below a floor.
struct BlockedVersions: Equatable {
    private struct Span: Equatable {
        var lower: AppVersion?
        var hasLower: Bool
        var upper: AppVersion
        var hasUpper: Bool
    }

    private var spans: [Span] = []

    /// Blocks the versions of a piece below a floor; pieces must be added in ascending order.
    mutating func block(below floor: AppVersion, in piece: VersionPiece) {
        if let lower = piece.lower, floor < lower || (floor == lower && !piece.isSingle) { return }
        let span: Span
        if let upper = piece.upper, piece.isSingle {
            guard upper < floor else { return }
            span = Span(lower: upper, hasLower: true, upper: upper, hasUpper: true)
        } else {
            let upper = piece.upper.map { min($0, floor) } ?? floor
            span = Span(lower: piece.lower, hasLower: false, upper: upper, hasUpper: false)
        }
        if let last = self.spans.last, last.upper == span.lower, last.hasUpper || span.hasLower {
            self.spans[self.spans.count - 1].upper = span.upper
            self.spans[self.spans.count - 1].hasUpper = span.hasUpper
        } else {
            self.spans.append(span)
        }
    }

    /// The version below which all versions are blocked.
    var minimum: AppVersion? {
        self.spans.first.flatMap { $0.lower == nil ? $0.upper : nil }
    }

    /// The blocked ranges that are not below the minimum.
    var ranges: [VersionRange] {
        self.spans.compactMap { span in
            let text: String
            if let lower = span.lower, lower != span.upper {
                let start = "\(span.hasLower ? ">=" : ">")\(lower)"
                text = "\(start) \(span.hasUpper ? "<=" : "<")\(span.upper)"
            } else {
                guard span.hasUpper else { return nil }
                text = "\(span.upper)"
            }
            return try? VersionRange(parsing: text)
        }
    }
}
