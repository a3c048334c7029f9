import ArgumentParser
import FoundationEssentials
import GateSystem

/// Asks a gate on this machine whether it answers.
struct Healthcheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks a gate on this machine whether it answers: exit 0, or 1 and the reason.",
        discussion: """
            It asks for /-/healthy where the gate listens for operators, if it does: with --admin, or \
            VERSIONGATE_ADMIN_LISTEN. Otherwise it asks for /.versiongate/status without TLS, which the \
            gate answers itself, unless --client-endpoints is false or it speaks TLS alone. A backend \
            that is down does not make the gate unhealthy.
            """
    )

    @Option(help: "Where the gate listens, HOST:PORT; VERSIONGATE_LISTEN, if it is not given.")
    var listen: String?
    @Option(help: "Where it listens for operators, [HOST:]PORT; else VERSIONGATE_ADMIN_LISTEN.")
    var admin: String?
    @Option(help: "Seconds for the answer.")
    var timeout = 3.0

    private struct Answer: Decodable {
        var decision: String
    }

    func validate() throws {
        guard (0.1...60).contains(self.timeout) else {
            throw ValidationError("--timeout: expected a number of seconds from 0.1 to 60")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        if self.listen == nil,
            let admin = self.admin ?? environment[Settings[\.adminListen].name.environmentVariable]
        {
            let listen = Int(admin) == nil ? admin : "127.0.0.1:\(admin)"
            return try await self.ask(listen, "--admin", for: "/-/healthy") { $0.status == 200 }
        }
        let listen =
            self.listen ?? environment[Settings[\.listen].name.environmentVariable]
            ?? Settings[\.listen].defaultText ?? ""
        try await self.ask(listen, "--listen", for: "/.versiongate/status") { response in
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body))
            return response.status == 200 && answer != nil
        }
    }

    private func ask(
        _ place: String,
        _ option: String,
        for path: String,
        isWell: (FetchResponse) -> Bool
    ) async throws {
        guard let host = Self.reachable(place) else {
            throw ValidationError("\(option) '\(place)': expected HOST:PORT")
        }
        do {
            let url = try FetchURL(parsing: "http://\(host)\(path)")
            var limits = FetchLimits.defaults
            limits.deadline = .seconds(self.timeout)
            let response = try await Fetcher().fetch(FetchRequest(url, limits: limits))
            guard isWell(response) else {
                let status = response.status
                StandardError.write(
                    status == 503
                        ? "versiongate: \(host): the gate is not well"
                        : "versiongate: \(host): this is no gate (\(status))"
                )
                throw ExitCode.failure
            }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            StandardError.write("versiongate: \(host): \(error)")
            throw ExitCode.failure
        }
        print("\(host): the gate answers")
    }

    /// A gate that listens on every address is asked on the loopback.
    static func reachable(_ listen: String) -> String? {
        guard let colon = listen.lastIndex(of: ":"), UInt16(listen[colon...].dropFirst()) != nil
        else { return nil }
        let host = listen[..<colon]
        switch host {
        case "0.0.0.0", "*", "": return "127.0.0.1\(listen[colon...])"
        case "[::]": return "[::1]\(listen[colon...])"
        default: return listen
        }
    }
}
