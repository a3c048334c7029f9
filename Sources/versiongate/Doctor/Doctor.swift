import ArgumentParser
import GateProxy

/// Checks the settings and the environment of a gate.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks a gate's settings and environment, and explains how to fix each problem.",
        discussion: """
            The command takes the options of serve, its environment variables and its \
            configuration file. It changes nothing: it opens the ports for a moment, connects to \
            each backend without sending a request, and fetches each feed once. It exits with 1 if \
            there is an error; a gate can run despite warnings.
            """
    )

    @Flag(help: "Print the results as JSON.")
    var json = false
    @OptionGroup(title: "Options of serve") var serve: Serve

    func run() async throws {
        let results = await self.results()
        if self.json {
            try CommandJSON.print(results)
        } else {
            for result in results { print(result) }
        }
        guard results.allSatisfy({ $0.state != .error }) else { throw ExitCode.failure }
    }

    private func results() async -> [Diagnosis] {
        let remarks = EnvironmentNames.remarks.map { Diagnosis.warning("settings", $0) }
        let settings: ServeSettings
        do throws(SettingsError) {
            settings = try ServeSettings(
                SettingsReader(flags: self.serve.flags, file: self.serve.config)
            )
        } catch {
            return remarks + [.error("settings", error.description)]
        }
        let known: [Diagnosis] = remarks.isEmpty ? [.ok("settings", "valid")] : remarks
        let machine = MachineCheck(settings: settings)
        let traffic = TrafficCheck(settings: settings)
        return await known + machine.ports() + [machine.descriptors(), machine.clock()]
            + machine.certificates() + traffic.rules() + traffic.feeds() + traffic.backends()
            + machine.stateFolder() + machine.publishedRules()
    }
}
