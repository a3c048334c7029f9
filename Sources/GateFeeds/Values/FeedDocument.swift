internal import GateRules

/// A rules file that a feed makes of what its source says.
struct FeedDocument {
    var rules: [JSONValue] = []
    var notices: [JSONValue.Member] = []
    var releases: [JSONValue] = []
    var testFlight: [JSONValue] = []
    /// Remarks for operators on how the source was understood.
    var notes: [String] = []

    /// The file: JSON, which every reader of rules files takes.
    var text: String {
        var members = [JSONValue.Member("rules", .list(self.rules))]
        if !self.notices.isEmpty { members.append(.init("notices", .object(self.notices))) }
        if !self.releases.isEmpty { members.append(.init("releases", .list(self.releases))) }
        if !self.testFlight.isEmpty { members.append(.init("testFlight", .list(self.testFlight))) }
        return JSONValue.object(members).rendered + "\n"
    }
}
