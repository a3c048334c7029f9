import GateTestSupport
import Testing

@testable import GateRules

struct RulesSightingsTests {
    private func state(_ identity: RulesIdentity, _ text: String?) -> RulesState {
        let source = text.map { RulesSource(name: "rules.yaml", bytes: Array($0.utf8)) }
        let missing = RulesFileErrors(RulesFileError(file: "rules.yaml", message: "missing"))
        let content = source.map { Result.success(Revision(of: [$0])) } ?? .failure(missing)
        return RulesState(identity: identity, content: content)
    }

    private let one = RulesIdentity.folder([.init(name: "1.yaml", identity: nil)])
    private let two = RulesIdentity.folder([.init(name: "2.yaml", identity: nil)])

    @Test func `a look reports each state once`() {
        var sightings = RulesSightings()
        let missing = self.state(.missing, nil)
        for state in [self.state(self.one, "a"), self.state(self.one, "b"), missing] {
            #expect(sightings.look(state) == .report)
            #expect(sightings.look(state) == .skipReport)
        }
    }

    @Test func `a look reports a different file even if the text is the same`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, "a")) == .report)
        #expect(sightings.look(self.state(self.two, "a")) == .report)
    }

    @Test func `a change seen by a glance is reported if the next one confirms it`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, "a")) == .report)
        #expect(sightings.glance(self.state(self.two, "b")) == .skipReport)
        #expect(sightings.glance(self.state(self.two, "b")) == .report)
        #expect(sightings.glance(self.state(self.two, "b")) == .skipReport)
    }

    @Test func `a file that keeps changing is not reported`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, "a")) == .report)
        for text in ["b", "bc", "bcd"] {
            #expect(sightings.glance(self.state(self.two, text)) == .skipReport)
        }
        #expect(sightings.glance(self.state(self.two, "bcd")) == .report)
    }

    @Test func `a state that was seen only once is not remembered`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, "a")) == .report)
        #expect(sightings.glance(self.state(self.two, "b")) == .skipReport)
        let isKnown = sightings.know(self.one)
        #expect(isKnown)
        #expect(sightings.glance(self.state(self.two, "b")) == .skipReport)
    }

    @Test func `a file that could not be read is read again although it is unchanged`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, nil)) == .report)
        let isKnown = sightings.know(self.one)
        #expect(!isKnown)
        #expect(sightings.glance(self.state(self.one, nil)) == .skipReport)
        #expect(sightings.glance(self.state(self.one, "a")) == .skipReport)
        #expect(sightings.glance(self.state(self.one, "a")) == .report)
        let isReadableKnown = sightings.know(self.one)
        #expect(isReadableKnown)
    }

    @Test func `names that are equal only as text are two files`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.makeFolder("rules")
        try folder.writeInPlace("rules: []", to: "rules/caf\u{E9}.yaml")
        try folder.writeInPlace("", to: "rules/cafe\u{301}.yaml")
        guard case .folder(let entries) = RulesIdentity(path: folder.path(of: "rules")) else {
            Issue.record("the folder has no entries")
            return
        }
        #expect(entries.count == 2)
    }

    @Test func `a file that remains missing is reported once`() {
        var sightings = RulesSightings()
        #expect(sightings.look(self.state(self.one, "a")) == .report)
        #expect(sightings.glance(self.state(.missing, nil)) == .skipReport)
        #expect(sightings.glance(self.state(.missing, nil)) == .report)
        let isKnown = sightings.know(.missing)
        #expect(isKnown)
    }
}
