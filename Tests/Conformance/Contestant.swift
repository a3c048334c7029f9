import Foundation
import GateTestSupport

/// A proxy to run the cases against.
enum Contestant: String, CaseIterable {
    case gate = "VersionGate"
    case nginx
    case haproxy = "HAProxy"
    case envoy = "Envoy"
    case traefik = "Traefik"
    case caddy = "Caddy"

    private var program: String { self.rawValue.lowercased() }

    /// Returns the peer's program: the one from `dev/install-peers.sh` if it exists, otherwise the
    /// system's.
    private func locate() throws -> URL {
        let own = FileManager.default.currentDirectoryPath + "/.build/peers/bin/\(self.program)"
        return FileManager.default.isExecutableFile(atPath: own)
            ? URL(fileURLWithPath: own) : try ToolProcess.locate(self.program)
    }

    private var configuration: String {
        switch self {
        case .gate: "rules.yaml"
        case .nginx: "nginx.conf"
        case .haproxy: "haproxy.cfg"
        case .envoy: "envoy.yaml"
        case .traefik: "traefik.toml"
        case .caddy: "Caddyfile"
        }
    }

    private var versionArguments: [String] {
        switch self {
        case .gate, .envoy: ["--version"]
        case .nginx, .haproxy: ["-v"]
        case .traefik, .caddy: ["version"]
        }
    }

    var isInstalled: Bool { self == .gate || (try? self.locate()) != nil }

    /// Returns the first word in the program's output that looks like a version.
    func version() throws -> String {
        let result =
            self == .gate
            ? try ToolProcess.versiongate(self.versionArguments)
            : try ToolProcess.run(executable: self.locate(), self.versionArguments)
        let match = (result.output + result.errors).firstMatch(of: /\d+\.\d+[\w.+~-]*/)
        return match.map { String($0.0) } ?? "of unknown version"
    }

    /// Starts the proxy in front of a backend, with its files in a folder.
    func start(
        before backendPort: UInt16,
        in folder: TemporaryFolder,
        peers: URL
    ) throws -> any RunningProxy {
        if self == .gate {
            try folder.writeInPlace(RulesText.shop, to: self.configuration)
            return try GateProcess(
                upstreamPort: backendPort,
                rules: folder.file(self.configuration),
                flags: [.drainTimeout(seconds: 1), .responseTimeout(seconds: 2)]
            )
        }
        let port = try FreePort.find()
        let template = peers.appendingPathComponent(self.configuration)
        let text = try String(contentsOf: template, encoding: .utf8)
            .replacing("@PORT@", with: "\(port)")
            .replacing("@BACKEND_PORT@", with: "\(backendPort)")
        try folder.writeInPlace(text, to: self.configuration)
        try folder.makeFolder("temp")
        return try PeerProcess(
            executable: self.locate(),
            arguments: self.arguments(folder),
            folder: folder.url,
            port: port
        )
    }

    private func arguments(_ folder: TemporaryFolder) -> [String] {
        let file = folder.path(of: self.configuration)
        return switch self {
        case .gate: []
        // Without -e, nginx would first try to write to the distribution's error log.
        case .nginx: ["-p", folder.url.path + "/", "-e", "stderr", "-c", file]
        case .haproxy: ["-db", "-f", file]
        // Without this flag, Envoy could take another Envoy on the machine for its previous instance.
        case .envoy: ["-c", file, "--concurrency", "1", "--disable-hot-restart", "-l", "error"]
        case .traefik: ["--configFile=\(file)"]
        case .caddy: ["run", "--adapter", "caddyfile", "--config", file]
        }
    }
}
