import ArgumentParser
import FoundationEssentials
import GateAdmin
import GateSystem

/// Shows what the breaker of a running gate has stopped, and lets it go on.
struct BreakerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "breaker",
        abstract: "Shows the rules that the breaker of a running gate has stopped, or resets it.",
        subcommands: [Show.self, Reset.self],
        defaultSubcommand: Show.self
    )

    /// Asks, and prints the answer.
    private static func ask(
        _ gate: RunningGate,
        _ path: String,
        _ method: FetchRequest.Method
    ) async throws {
        do {
            let response = try await Fetcher().fetch(try gate.request(path, method))
            let body = Data(response.body)
            guard let answer = try? JSONDecoder().decode(BreakerReport.self, from: body) else {
                throw GateProblem(response.status, response.body)
            }
            print(self.words(answer))
        } catch {
            StandardError.write("versiongate: \(gate.address): \(error)")
            throw ExitCode.failure
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the rules that have tripped, and those that are watched."
        )

        @OptionGroup var gate: RunningGate

        func run() async throws { try await BreakerCommand.ask(self.gate, "/-/breaker", .get) }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has every rule that has tripped enforce again, and prints what is left."
        )

        @OptionGroup var gate: RunningGate

        func run() async throws {
            try await BreakerCommand.ask(
                self.gate,
                "/-/breaker/reset",
                .post(body: [], type: "application/json")
            )
        }
    }

    private static func words(_ report: BreakerReport) -> String {
        let trips = report.tripped.map { trip in
            let audience = [trip.app, trip.platform].compactMap(\.self)
            let whom = audience.isEmpty ? "all" : audience.joined(separator: " ")
            let noun = trip.cause == "missing-fields" ? "without a version" : "refused"
            return "\(trip.rule) observes since \(trip.at): "
                + "of \(trip.clients) clients (\(whom)) "
                + "\(self.percent(trip.share)) \(noun), "
                + "\(self.percent(trip.predicted)) predicted; "
                + "\(trip.refusedRequests) requests were refused before"
        }
        let watched =
            report.watched.isEmpty
            ? "watches nothing" : "watches \(report.watched.joined(separator: ", "))"
        return (trips.isEmpty ? ["nothing has tripped"] : trips).joined(separator: "\n")
            + "\n" + watched
    }

    private static func percent(_ share: Double) -> String {
        "\((share * 1_000).rounded() / 10) %"
    }
}
