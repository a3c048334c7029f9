/// Everything that is to be said of rules that can be read: alone, and beside those in force.
package struct RulesFindings: Sendable, Equatable {
    /// All findings, in the order of the files and places.
    package let all: [Finding]

    /// The findings that keep the rules from being loaded.
    package var refusals: [Finding] { self.all.filter { $0.effect == .refuses } }
    package var warnings: [Finding] { self.all.filter { $0.effect == .warns } }
    package var notes: [Finding] { self.all.filter { $0.effect == .notes } }

    static let none = RulesFindings(all: [])

    init(all: [Finding]) {
        self.all = all
    }
}
