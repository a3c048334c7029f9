import ArgumentParser
import GateAdmin
import GateSystem

/// Shows the rules for which the circuit breaker of a running gate has tripped, or resets the
/// breaker.
struct BreakerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "breaker",
        abstract:
            "Shows the rules for which the circuit breaker has tripped, or resets the breaker.",
        subcommands: [Show.self, Reset.self],
        defaultSubcommand: Show.self
    )

    /// Sends a request to the admin listener and prints the report in the response.
    private static func ask(
        _ gate: RunningGate,
        _ path: String,
        _ method: FetchRequest.Method
    ) async throws {
        do {
            let response = try await Fetcher().fetch(try gate.request(path, method))
            guard let answer = response.decoded(as: BreakerReport.self) else {
                throw GateProblem(response.status, response.body)
            }
            print(self.words(answer))
        } catch {
            try StandardError.fail("versiongate: \(gate.address): \(error)")
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Prints the rules for which the breaker has tripped, and the rules it watches."
        )

        @OptionGroup var gate: RunningGate

        func run() async throws { try await BreakerCommand.ask(self.gate, "/-/breaker", .get) }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Resets the breaker so that all tripped rules are enforced again; prints its state."
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
            let noun = trip.cause == "missing-fields" ? "without a version" : "denied"
            return "\(trip.rule) only observes: the breaker tripped at \(trip.at), with "
                + "\(self.percent(trip.share)) of \(trip.clients) clients (\(whom)) "
                + "\(noun), \(self.percent(trip.predicted)) predicted; "
                + "\(trip.refusedRequests) requests denied before the breaker tripped"
        }
        let watched =
            report.watched.isEmpty
            ? "watching no rules" : "watching \(report.watched.joined(separator: ", "))"
        return (trips.isEmpty ? ["the breaker has not tripped"] : trips).joined(separator: "\n")
            + "\n" + watched
    }

    private static func percent(_ share: Double) -> String {
        "\((share * 1_000).rounded() / 10)%"
    }
}
