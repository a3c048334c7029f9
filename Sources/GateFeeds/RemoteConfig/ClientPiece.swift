internal import GatePolicy

/// Clients that no condition tells apart, as far as versions and builds go.
struct ClientPiece: Equatable {
    let versions: VersionPiece
    let builds: BuildPiece
    let forms: FormPiece
}

/// The clients of whom some questions about how they write their version and build have the same
/// answers.
struct FormPiece: Equatable {
    typealias Test = RemoteConfigCondition.WrittenTest

    /// The most questions that are told apart: there are two to the power of them of these pieces.
    static let maximumTests = 8

    struct Answer: Hashable {
        let test: Test
        let isYes: Bool
    }

    /// One for each question, in their order.
    let answers: [Answer]

    /// The answer to a question; `nil` if it is left open.
    func answer(to test: Test) -> Bool? { self.answers.first { $0.test == test }?.isYes }

    /// All answers to these questions; those beyond the most are left open.
    static func all(of tests: [Test]) -> [FormPiece] {
        var told: [Test] = []
        for test in tests where !told.contains(test) { told.append(test) }
        return told.prefix(Self.maximumTests).reduce([FormPiece(answers: [])]) { pieces, test in
            pieces.flatMap { piece in
                [false, true].map { isYes in
                    FormPiece(answers: piece.answers + [Answer(test: test, isYes: isYes)])
                }
            }
        }
    }

    /// The same without one of the questions.
    func without(_ test: Test) -> FormPiece {
        FormPiece(answers: self.answers.filter { $0.test != test })
    }

    /// How clients with these answers write their version and build.
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

/// A part of all builds within which no condition changes.
struct BuildPiece: Equatable {
    let builds: ClosedRange<BuildNumber>

    /// Cuts all builds at the thresholds of conditions, in ascending order.
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

    /// Whether its builds have a relation to one of the thresholds; all of them have, or none.
    func meets(_ relation: RemoteConfigCondition.Relation, _ threshold: BuildNumber) -> Bool {
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
