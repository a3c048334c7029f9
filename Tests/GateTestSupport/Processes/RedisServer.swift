import Foundation

/// A Redis for one test, on loopback; where `redis-server` is a Valkey, that.
package final class RedisServer: Sendable {
    /// The files with which it speaks TLS, on a port of its own.
    package struct TLS: Sendable {
        package var certificate: String
        package var key: String
        /// The authority of its clients, whose certificates it wants to see; `nil`: it asks for none.
        package var clientAuthority: String?

        package init(certificate: String, key: String, clientAuthority: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientAuthority = clientAuthority
        }
    }

    /// Whether there is one here.
    package static var canRun: Bool {
        ToolProcess.isInstalled("redis-server") && ToolProcess.isInstalled("redis-cli")
    }

    package let port: UInt16
    /// The port with TLS; nobody listens there if it has none.
    package let securePort: UInt16
    private let server: BackgroundTool
    private let password: String?

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: Where it stands; it writes nothing there.
    ///   - password: What it asks of users without a name; `nil`: nothing.
    ///   - tls: What it speaks TLS with; `nil`: it does not.
    ///   - options: What else its command line says.
    /// - Throws: The reason for which it does not run.
    package init(
        in folder: TemporaryFolder,
        password: String? = nil,
        tls: TLS? = nil,
        options: [String] = []
    ) throws {
        self.port = try FreePort.find()
        self.securePort = try FreePort.find()
        self.password = password
        var arguments = [
            "--port", "\(self.port)", "--bind", "127.0.0.1", "--save", "", "--dir",
            folder.url.path,
        ]
        if let password { arguments += ["--requirepass", password] }
        if let tls {
            arguments += [
                "--tls-port", "\(self.securePort)", "--tls-cert-file", tls.certificate,
                "--tls-key-file", tls.key,
                "--tls-ca-cert-file", tls.clientAuthority ?? tls.certificate,
                "--tls-auth-clients", tls.clientAuthority == nil ? "no" : "yes",
            ]
        }
        self.server = try BackgroundTool("redis-server", arguments + options)
        try self.server.waitForText("Ready to accept connections")
    }

    package var processIdentifier: Int32 { self.server.processIdentifier }

    package func end() { self.server.end() }

    /// The answer of `redis-cli` to a command.
    package func ask(_ command: [String]) throws -> String {
        let login = self.password.map { ["--no-auth-warning", "-a", $0] } ?? []
        return try ToolProcess.run("redis-cli", ["-p", "\(self.port)"] + login + command).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
