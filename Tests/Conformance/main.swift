import ConformanceCases
import Foundation
import GateTestSupport

/// Runs the cases against every installed proxy: `conformance PEERS-FOLDER PAGE`.
func run() throws -> Bool {
    guard CommandLine.arguments.count == 3 else {
        throw HarnessError("usage: conformance PEERS-FOLDER PAGE")
    }
    let peers = URL(fileURLWithPath: CommandLine.arguments[1])
    let contestants = Contestant.allCases.filter(\.isInstalled)
    let absent = Contestant.allCases.filter { !contestants.contains($0) }.map(\.rawValue)
    var results: [CaseResult] = []
    for contestant in contestants {
        results += try Round(contestant: contestant, peers: peers).play()
    }
    let report = Report(
        results: results,
        contestants: contestants,
        versions: try contestants.map { "\($0.rawValue) \(try $0.version())" },
        absent: absent
    )
    print(report.page)
    try Data(report.page.utf8).write(to: URL(fileURLWithPath: CommandLine.arguments[2]))
    for name in absent { print("\(name) is not installed: its column is left out") }
    return results.allSatisfy {
        $0.passed || $0.contestant != .gate || $0.each.strength != .must
    }
}

exit(try run() ? 0 : 1)
