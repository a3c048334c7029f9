import ArgumentParser
import GateSystem

/// Checks whether a gate on this machine responds.
struct Healthcheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Checks that a local gate responds: exits with 0, or prints the reason and exits with 1.",
        discussion: """
            The command requests /-/healthy from the admin listener if --admin or \
            VERSIONGATE_ADMIN_LISTEN is set. If neither is set, it requests /.versiongate/status without \
            TLS, which fails if --client-endpoints is false or the gate accepts only TLS. An \
            unavailable backend does not make the gate unhealthy.
            """
    )

    @Option(help: "The address of the gate, HOST:PORT (default: VERSIONGATE_LISTEN).")
    var listen: String?
    @Option(help: "The admin listener, [HOST:]PORT (default: VERSIONGATE_ADMIN_LISTEN).")
    var admin: String?
    @Option(help: "Timeout for the response in seconds.")
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
        if self.listen == nil,
            let admin = self.admin ?? Settings[\.adminListen].name.environmentValue
        {
            let listen = Int(admin) == nil ? admin : "127.0.0.1:\(admin)"
            return try await self.ask(listen, "--admin", for: "/-/healthy") { $0.status == 200 }
        }
        let listen =
            self.listen ?? Settings[\.listen].name.environmentValue
            ?? Settings[\.listen].defaultText ?? ""
        try await self.ask(listen, "--listen", for: "/.versiongate/status") { response in
            response.status == 200 && response.decoded(as: Answer.self) != nil
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
        let response: FetchResponse
        do {
            let url = try FetchURL(parsing: "http://\(host)\(path)")
            var limits = FetchLimits.defaults
            limits.deadline = .seconds(self.timeout)
            response = try await Fetcher().fetch(FetchRequest(url, limits: limits))
        } catch {
            try StandardError.fail("versiongate: \(host): \(error)")
        }
        guard isWell(response) else {
            let status = response.status
            let reason = status == 503 ? "the gate is unhealthy" : "not a gate (status \(status))"
            try StandardError.fail("versiongate: \(host): \(reason)")
        }
        print("\(host): the gate responds")
    }

    /// Returns the address to connect to: the loopback address for a gate that listens on all
    /// addresses, otherwise `listen`; `nil` if `listen` contains no port.
    static func reachable(_ listen: String) -> String? {
        guard let colon = listen.lastIndex(of: ":"), UInt16(listen[colon...].dropFirst()) != nil
        else { return nil }
        switch listen[..<colon] {
        case "0.0.0.0", "*", "": return "127.0.0.1\(listen[colon...])"
        case "[::]": return "[::1]\(listen[colon...])"
        default: return listen
        }
    }
}
