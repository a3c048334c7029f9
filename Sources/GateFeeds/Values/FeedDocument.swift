internal import GateRules
/// A rules file that is generated from the data of a source.
struct FeedDocument {
    var rules: [JSONValue] = []
    var notices: [JSONValue.Member] = []
    var releases: [JSONValue] = []
    var testFlight: [JSONValue] = []
    /// Remarks for operators about the interpretation of the data.
    var notes: [String] = []

    /// The file as JSON, which is valid YAML.
    var text: String {
        var members = [JSONValue.Member("rules", .list(self.rules))]
        if !self.notices.isEmpty { members.append(.init("notices", .object(self.notices))) }
        if !self.releases.isEmpty { members.append(.init("releases", .list(self.releases))) }
        if !self.testFlight.isEmpty { members.append(.init("testFlight", .list(self.testFlight))) }
        return JSONValue.object(members).rendered + "\n"
    }
}
