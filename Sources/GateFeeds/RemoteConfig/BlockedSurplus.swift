internal import GatePolicy

/// Versions and builds that are blocked for some clients, in addition to those blocked for all.
struct BlockedSurplus: Equatable {
    /// The versions to which the block applies; `nil` if it applies to all versions.
    let versions: VersionRange?
    let builds: ClosedRange<BuildNumber>
    var forms: FormPiece

    /// Merges entries that differ only in the result of one test, because that result does not
    /// matter.
    ///
    /// The tests of the conditions with the lowest priority are removed first: these conditions
    /// apply only to clients that no earlier condition matches.
    static func joined(_ all: [BlockedSurplus]) -> [BlockedSurplus] {
        let questions = all.first?.forms.answers.map(\.test) ?? []
        return questions.reversed().reduce(all) { all, question in
            var rest = all
            var joined: [BlockedSurplus] = []
            while var surplus = rest.popLast() {
                let other = rest.firstIndex { $0.isEqual(to: surplus, but: question) }
                if let other {
                    rest.remove(at: other)
                    surplus.forms = surplus.forms.without(question)
                }
                joined.append(surplus)
            }
            return joined.reversed()
        }
    }

    private func isEqual(to other: BlockedSurplus, but question: FormPiece.Test) -> Bool {
        self.versions == other.versions && self.builds == other.builds
            && self.forms.answer(to: question) != nil
            && other.forms.answer(to: question) != nil
            && self.forms.without(question) == other.forms.without(question)
    }

    var entry: BlockedBuilds {
        let written = self.forms.written
        // Clients without a build only have to meet the requirements that apply to every build.
        let isForAll = !written.isAny && self.builds == .zero ... .max
        let builds = isForAll ? nil : BuildRange(self.builds)
        return BlockedBuilds(builds, of: self.versions, written: written)
    }
}
