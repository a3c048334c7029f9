import ArgumentParser
import FoundationEssentials
import GateAdmin
import GatePolicy
import GateSystem

/// Makes a running gate return to previous rules, regardless of the content of its files.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Makes a running gate return to previous rules; exits with 0 once they are active, "
            + "and with 1 if that fails.",
        discussion: """
            Without a revision, the gate returns to the rules before the active ones; a second \
            undo reverts the first. The revisions are in the log, in each 426 and in the response \
            to GET /api/v1/audit. The command prints the changes.

            The rules files are not changed. The undo stays active, even after SIGHUP and, with \
            --state-dir, after restarts, until the files contain something other than the undone \
            rules.
            """
    )

    @Argument(help: "The revision to return to (default: the previous one).")
    var revision: String?
    @OptionGroup var gate: RunningGate
    @Flag(help: "Only print the changes.")
    var dryRun = false

    private struct Problem: Decodable {
        var detail: String
        var errors: [ErrorEntry]?
    }

    func run() async throws {
        do {
            let fetcher = try Fetcher()
            let query = self.revision.map { "?to=\($0)" } ?? ""
            let preview = try self.read(
                UndoReport.Preview.self,
                try await fetcher.fetch(try self.gate.request("/api/v1/undo\(query)"))
            )
            for line in preview.changes { print(line) }
            for item in preview.findings { print("\(item.place): \(item.message) [\(item.name)]") }
            guard !self.dryRun else {
                let verb = preview.errors.isEmpty ? "would be" : "cannot be"
                print("revision \(preview.to) \(verb) activated instead of \(preview.revision)")
                Self.tell(preview.errors)
                guard preview.errors.isEmpty else { throw ExitCode.failure }
                return
            }
            let wish = Array(try JSONEncoder().encode(["to": preview.to]))
            let done = try self.read(
                UndoReport.Done.self,
                try await fetcher.fetch(
                    try self.gate.request(
                        "/api/v1/undo",
                        .post(body: wish, type: "application/json"),
                        fields: [HeaderField(name: "If-Match", value: "\"\(preview.revision)\"")]
                    )
                )
            )
            print("revision \(done.revision) is active")
            let end = done.isKept ? "" : " or the gate stops"
            print(
                done.isPinned
                    ? "the files contain other rules; the undo stays active until they change\(end)"
                    : "the files contain this revision"
            )
            guard done.arePublished != false else {
                try StandardError.fail(
                    "the rules could not be published: the module in Envoy keeps the previous rules; see the gate's log"
                )
            }
        } catch let code as ExitCode {
            throw code
        } catch {
            try StandardError.fail("versiongate: \(self.gate.address): \(error)")
        }
    }

    /// Returns the report in a response; if there is no report, prints the problem and exits.
    private func read<Answer: Decodable>(
        _ type: Answer.Type,
        _ response: FetchResponse
    ) throws -> Answer {
        if response.status == 200, let answer = response.decoded(as: type) { return answer }
        let problem = response.decoded(as: Problem.self)
        Self.tell(problem?.errors ?? [])
        let reason = problem?.detail ?? "not a gate (status \(response.status))"
        try StandardError.fail("versiongate: \(self.gate.address): \(reason)")
    }

    private static func tell(_ faults: [ErrorEntry]) {
        for fault in faults {
            StandardError.write("\(fault.file):\(fault.line):\(fault.column): \(fault.message)")
        }
    }
}
