import ArgumentParser
import FoundationEssentials
import GateControl

/// Asks a gate on this machine whether it answers.
struct Healthcheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks a gate on this machine whether it answers: exit 0, or 1 and the reason.",
        discussion: """
            It asks for /.versiongate/status without TLS, which the gate answers itself: a backend \
            that is down does not make the gate unhealthy. A gate that --client-endpoints false keeps \
            from answering, or that speaks TLS alone, cannot be asked.
            """
    )

    @Option(help: "Where the gate listens, HOST:PORT; VERSIONGATE_LISTEN, if it is not given.")
    var listen: String?
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
        let listen =
            self.listen ?? ProcessInfo.processInfo.environment[Setting.listen.environmentVariable]
            ?? "127.0.0.1:8080"
        guard let host = Self.reachable(listen) else {
            throw ValidationError("--listen '\(listen)': expected HOST:PORT")
        }
        do {
            let url = try FetchURL(parsing: "http://\(host)/.versiongate/status")
            var limits = FetchLimits.defaults
            limits.deadline = .seconds(self.timeout)
            let request = FetchRequest(url, limits: limits)
            let response = try await Fetcher().fetch(request)
            let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body))
            guard response.status == 200, answer != nil else {
                StandardError.write("versiongate: \(host): this is no gate (\(response.status))")
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
