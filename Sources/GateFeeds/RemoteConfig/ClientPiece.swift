internal import GatePolicy

/// A group of clients whose versions and builds are not distinguished by any condition.
struct ClientPiece: Equatable {
    let versions: VersionPiece
    let builds: BuildPiece
    let forms: FormPiece
}

/// Clients whose written version and build give the same results in a set of tests.
struct FormPiece: Equatable {
    typealias Test = RemoteConfigCondition.WrittenTest

    /// The maximum number of tests that are distinguished; n tests yield 2ⁿ pieces.
    static let maximumTests = 8

    struct Answer: Hashable {
        let test: Test
        let isYes: Bool
    }

    /// The results, in the order of the tests.
    let answers: [Answer]

    /// Returns the result of a test; `nil` if it is undetermined.
    func answer(to test: Test) -> Bool? { self.answers.first { $0.test == test }?.isYes }

    /// Returns the pieces for all combinations of results; tests beyond the maximum are omitted.
    static func all(of tests: [Test]) -> [FormPiece] {
        tests.uniqued().prefix(Self.maximumTests).reduce([FormPiece(answers: [])]) { pieces, test in
            pieces.flatMap { piece in
                [false, true].map { isYes in
                    FormPiece(answers: piece.answers + [Answer(test: test, isYes: isYes)])
                }
            }
        }
    }

    /// Returns the piece without one of the tests.
    func without(_ test: Test) -> FormPiece {
        FormPiece(answers: self.answers.filter { $0.test != test })
    }

    /// The written form of the version and build of these clients.
    var written: WrittenForm {
        func patterns(_ part: Test.Part) -> WrittenForm.Patterns {
            func patterns(_ answer: Bool) -> [WrittenPattern] {
                self.answers.filter { $0.test.part == part && $0.isYes == answer }
                    .map(\.test.pattern)
            }
            return WrittenForm.Patterns(all: patterns(true), none: patterns(false))
        }
        return WrittenForm(version: patterns(.version), build: patterns(.build))
    }
}

/// A range of builds that no condition distinguishes.
struct BuildPiece: Equatable {
    let builds: ClosedRange<BuildNumber>

    /// Splits all builds at the thresholds of conditions, and returns the pieces in ascending order.
    static func all(cutAt thresholds: [BuildNumber]) -> [BuildPiece] {
        var pieces: [BuildPiece] = []
        var lowest = BuildNumber.zero
        for threshold in Set(thresholds).sorted() {
            if lowest < threshold, let highest = threshold.predecessor {
                pieces.append(BuildPiece(builds: lowest...highest))
            }
            pieces.append(BuildPiece(builds: threshold...threshold))
            guard let next = threshold.successor else { return pieces }
            lowest = next
        }
        pieces.append(BuildPiece(builds: lowest ... .max))
        return pieces
    }

    /// Returns whether the builds satisfy a relation to a threshold; the result is the same for all
    /// builds of the piece.
    func meets(_ relation: RemoteConfigCondition.Relation, _ threshold: BuildNumber) -> Bool {
        relation.holds(self.builds.lowerBound, threshold)
    }
}

/// A range of versions that no condition distinguishes: a single version, or the versions between two
/// thresholds.
struct VersionPiece: Equatable {
    /// The lower bound; `nil` if this is the first piece.
    let lower: AppVersion?
    /// The upper bound; `nil` if this is the last piece.
    let upper: AppVersion?

    /// Whether the piece is a single version; the bounds of other pieces are exclusive.
    var isSingle: Bool { self.lower != nil && self.lower == self.upper }

    /// Splits all versions at the thresholds of conditions, and returns the pieces in ascending order.
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

    /// Returns whether the versions satisfy a relation to a threshold; the result is the same for all
    /// versions of the piece.
    func meets(_ relation: RemoteConfigCondition.Relation, _ threshold: AppVersion) -> Bool {
        if self.isSingle, self.lower == threshold { return relation.holds(0, 0) }
        let isBelow = self.upper.map { $0 <= threshold } ?? false
        return relation.holds(isBelow ? -1 : 1, 0)
    }
}

/// A range of adjacent version pieces.
struct VersionSpan: Equatable {
    /// The lower bound; `nil` if the range has none.
    let lower: AppVersion?
    /// Whether the range includes the lower bound.
    let hasLower: Bool
    var upper: AppVersion?
    private(set) var hasUpper: Bool

    init(_ piece: VersionPiece) {
        self.lower = piece.lower
        self.upper = piece.upper
        self.hasLower = piece.isSingle
        self.hasUpper = piece.isSingle
    }

    /// Extends the span to the end of an adjacent span.
    mutating func join(_ next: VersionSpan) {
        self.upper = next.upper
        self.hasUpper = next.hasUpper
    }

    /// The versions as a range; `nil` if the span contains all versions.
    var range: VersionRange? {
        if let lower, lower == self.upper { return try? VersionRange(parsing: "\(lower)") }
        let start = self.lower.map { "\(self.hasLower ? ">=" : ">")\($0)" }
        let end = self.upper.map { "\(self.hasUpper ? "<=" : "<")\($0)" }
        let words = [start, end].compactMap(\.self)
        return words.isEmpty ? nil : try? VersionRange(parsing: words.joined(separator: " "))
    }
}
