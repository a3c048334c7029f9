import ConformanceCases
import Foundation
import GateTestSupport

/// A run of all cases against one contestant.
struct Round {
    let contestant: Contestant
    let peers: URL

    func play() throws -> [CaseResult] {
        let stage = try ConformanceStage()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let proxy = try self.contestant.start(
            before: stage.backendPort,
            in: folder,
            peers: self.peers
        )
        defer { proxy.stop() }
        let isGate = self.contestant == .gate
        return try ConformanceCase.all.filter { isGate || !$0.isPolicy }.map { each in
            let observation = try stage.play(each, at: proxy.port)
            return CaseResult(
                each: each,
                contestant: self.contestant,
                violations: each.violations(in: observation, byTheGate: isGate),
                observed: "\(observation)"
            )
        }
    }
}

/// One contestant's result in one case.
struct CaseResult {
    let each: ConformanceCase
    let contestant: Contestant
    /// The violated demands.
    let violations: [String]
    /// The observation in one line.
    let observed: String

    var passed: Bool { self.violations.isEmpty }
}
