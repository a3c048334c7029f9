import GateTestSupport
import Testing

/// The body of an answer that the gate gives itself.
struct Problem: Decodable, Equatable {
    var type: String?
    var title: String
    var status: Int
    var message: String?
    var storeUrl: String?
    var minimumVersion: String?
    var currentVersion: String?
    var rule: String?
    var revision: String?
}

extension RawResponse {
    /// Reads the answer as a problem that the gate reports in the way it always does.
    func problem(_ location: SourceLocation = #_sourceLocation) throws -> Problem {
        let type = self.fields["Content-Type"].first ?? ""
        #expect(type.hasPrefix("application/problem+json"), sourceLocation: location)
        #expect(self.isComplete, sourceLocation: location)
        let problem = try self.json(Problem.self)
        #expect(problem.status == self.status, sourceLocation: location)
        return problem
    }
}
