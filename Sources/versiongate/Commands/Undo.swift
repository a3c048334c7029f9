import ArgumentParser
import FoundationEssentials
import GatePolicy
import GateSystem

/// Has a running gate go back to rules that were in force before, whatever its files say.
struct Undo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts earlier rules of a running gate in force again: exit 0 if they are, or 1.",
        discussion: """
            Without a revision, it goes back to the rules before the present ones; said twice, it goes \
            back and forth. The log, every 426 and GET /api/v1/audit tell revisions. It prints what it \
            changes.

            The rules files are not written. The undo holds, over signals and, with --state-dir, \
            restarts, until the files say something else than what was undone.
            """
    )

    @Argument(help: "The revision to go back to (default: the one before).")
    var revision: String?
    @OptionGroup var gate: RunningGate
    @Flag(help: "Only say what it would change.")
    var dryRun = false

    private struct Preview: Decodable {
        struct Item: Decodable {
            var name: String
            var place: String
            var message: String
        }

        var revision: String
        var to: String
        var changes: [String]
        var findings: [Item]
        var errors: [Fault]
    }

    private struct Done: Decodable {
        var revision: String
        var isPinned: Bool
        var isKept: Bool
    }

    private struct Fault: Decodable {
        var file: String
        var line: Int
        var column: Int
        var message: String
    }

    private struct Problem: Decodable {
        var detail: String
        var errors: [Fault]?
    }

    func run() async throws {
        let host = self.gate.address
        do {
            let fetcher = try Fetcher()
            let query = self.revision.map { "?to=\($0)" } ?? ""
            let preview = try Self.read(
                Preview.self,
                try await fetcher.fetch(try self.gate.request("/api/v1/undo\(query)"))
            )
            for line in preview.changes { print(line) }
            for item in preview.findings { print("\(item.place): \(item.message) [\(item.name)]") }
            guard !self.dryRun else {
                let verb = preview.errors.isEmpty ? "would be" : "cannot be"
                print("revision \(preview.to) \(verb) put in force instead of \(preview.revision)")
                Self.tell(preview.errors)
                guard preview.errors.isEmpty else { throw ExitCode.failure }
                return
            }
            let wish = Array(try JSONEncoder().encode(["to": preview.to]))
            let done = try Self.read(
                Done.self,
                try await fetcher.fetch(
                    try self.gate.request(
                        "/api/v1/undo",
                        .post(body: wish, type: "application/json"),
                        fields: [HeaderField(name: "If-Match", value: "\"\(preview.revision)\"")]
                    )
                )
            )
            print("revision \(done.revision) is in force")
            guard done.isPinned else { return print("it is what the files say") }
            print(
                done.isKept
                    ? "the files say something else; it holds until they are changed"
                    : "the files say something else; it holds until they are changed or the gate ends"
            )
        } catch let problem as Refused {
            Self.tell(problem.faults)
            StandardError.write("versiongate: \(host): \(problem)")
            throw ExitCode.failure
        } catch let code as ExitCode {
            throw code
        } catch {
            StandardError.write("versiongate: \(host): \(error)")
            throw ExitCode.failure
        }
    }

    private struct Refused: Error, CustomStringConvertible {
        let description: String
        let faults: [Fault]
    }

    private static func read<Answer: Decodable>(
        _ type: Answer.Type,
        _ response: FetchResponse
    ) throws -> Answer {
        let body = Data(response.body)
        if response.status == 200, let answer = try? JSONDecoder().decode(type, from: body) {
            return answer
        }
        guard let problem = try? JSONDecoder().decode(Problem.self, from: body) else {
            throw Refused(description: "this is no gate (\(response.status))", faults: [])
        }
        throw Refused(description: problem.detail, faults: problem.errors ?? [])
    }

    private static func tell(_ faults: [Fault]) {
        for fault in faults {
            StandardError.write("\(fault.file):\(fault.line):\(fault.column): \(fault.message)")
        }
    }
}
