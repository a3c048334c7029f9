import ArgumentParser
import FoundationEssentials
import GateSystem

/// Asks a running gate to read its rules again, and says what became of it.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Has a running gate read its rules again: exit 0 if they are in force, or 1.",
        discussion: """
            The gate must have been started with --admin-listen. With --wait, the command waits for \
            the answer and prints each error and finding; without, it only asks.
            """
    )

    @OptionGroup var gate: RunningGate
    @Flag(help: "Wait until the gate has read the rules, and exit by what it says.")
    var wait = false

    private struct Answer: Decodable {
        struct Item: Decodable {
            var name: String
            var effect: String
            var place: String
            var message: String
        }

        struct Undo: Decodable {
            var at: String
        }

        var undo: Undo?
        var revision: String?
        var lastReloadSuccessful: Bool
        var errors: [String]?
        var findings: [Item]
    }

    func run() async throws {
        let host = self.gate.address
        let response: FetchResponse
        do {
            let request = try self.gate.request(
                "/-/reload",
                .post(body: [], type: "application/json")
            )
            let fetcher = try Fetcher()
            guard self.wait else {
                let stream = try await fetcher.open(request)
                // 409: the rules were refused, which only --wait is about.
                guard [200, 409].contains(stream.head.status) else {
                    throw GateProblem(stream.head.status, await stream.beginning())
                }
                return print("\(host): asked")
            }
            response = try await fetcher.fetch(request)
        } catch {
            StandardError.write("versiongate: \(host): \(error)")
            throw ExitCode.failure
        }
        let body = Data(response.body)
        guard let answer = try? JSONDecoder().decode(Answer.self, from: body) else {
            let problem = GateProblem(response.status, response.body)
            StandardError.write("versiongate: \(host): \(problem)")
            throw ExitCode.failure
        }
        for error in answer.errors ?? [] { StandardError.write(error) }
        let revision = answer.revision ?? "none"
        guard answer.lastReloadSuccessful else {
            StandardError.write("not loaded; revision \(revision) stays in force")
            throw ExitCode.failure
        }
        for finding in answer.findings {
            print("\(finding.place): \(finding.message) [\(finding.name)]")
        }
        if let undo = answer.undo {
            StandardError.write(
                "revision \(revision) is in force by an undo of \(undo.at): "
                    + "the files say what was undone; change them to end it"
            )
            throw ExitCode.failure
        }
        print("revision \(revision) is in force")
    }
}
