import ArgumentParser
import GateAdmin
import GateSystem

/// Makes a running gate reload its rules, and prints the result.
struct Reload: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a running gate reload its rules.",
        discussion: """
            The gate must be started with --admin-listen. With --wait, the command waits for the \
            result, prints each error and finding, and exits with 1 if the new rules are not \
            active. Without --wait, the command only sends the request.
            """
    )

    @OptionGroup var gate: RunningGate
    @Flag(help: "Wait for the result, and report it in the exit code.")
    var wait = false

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
                // 409 means that the rules were rejected, which matters only with --wait.
                guard [200, 409].contains(stream.head.status) else {
                    throw GateProblem(stream.head.status, await stream.beginning())
                }
                return print("\(host): reload requested")
            }
            response = try await fetcher.fetch(request)
        } catch {
            try StandardError.fail("versiongate: \(host): \(error)")
        }
        guard let answer = response.decoded(as: RulesReport.self) else {
            let problem = GateProblem(response.status, response.body)
            try StandardError.fail("versiongate: \(host): \(problem)")
        }
        for error in answer.errors ?? [] { StandardError.write(error) }
        let revision = answer.revision ?? "none"
        guard answer.lastReloadSuccessful else {
            try StandardError.fail("the rules were not reloaded; revision \(revision) stays active")
        }
        for finding in answer.findings {
            print("\(finding.place): \(finding.message) [\(finding.name)]")
        }
        if let undo = answer.undo {
            try StandardError.fail(
                "revision \(revision) is active because of an undo at \(undo.at): "
                    + "the files still contain the undone rules; change the files to end the undo"
            )
        }
        print("revision \(revision) is active")
    }
}
