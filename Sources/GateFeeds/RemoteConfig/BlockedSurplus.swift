internal import GatePolicy

/// Versions and builds that are blocked for some clients beyond what is for all.
struct BlockedSurplus: Equatable {
    /// `nil` for every version.
    let versions: VersionRange?
    let builds: ClosedRange<BuildNumber>
    var forms: FormPiece

    /// Joins those that differ in nothing but the answer to one question: it makes no difference.
    ///
    /// Questions of conditions that come last are looked at first: they are asked only of clients
    /// for whom no condition before holds.
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
        // Whoever states no build is asked only for what all builds are asked for.
        let isForAll = !written.isAny && self.builds == .zero ... .max
        let builds = isForAll ? nil : BuildRange(self.builds)
        return BlockedBuilds(builds, of: self.versions, written: written)
    }
}
