import GateTestSupport
import Testing

/// The body of a response that the gate generates.
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
    /// Decodes the response as a problem, and expects the form that all of the gate's problems have.
    func problem(_ location: SourceLocation = #_sourceLocation) throws -> Problem {
        let type = self.fields["Content-Type"].first ?? ""
        #expect(type.hasPrefix("application/problem+json"), sourceLocation: location)
        #expect(self.isComplete, sourceLocation: location)
        let problem = try self.json(Problem.self)
        #expect(problem.status == self.status, sourceLocation: location)
        return problem
    }
}
