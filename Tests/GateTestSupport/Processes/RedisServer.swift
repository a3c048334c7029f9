import Foundation

/// A Redis for one test, on loopback.
///
/// It is a Valkey if that is what `redis-server` runs.
package final class RedisServer: Sendable {
    /// The files for TLS, which is served on a port of its own.
    package struct TLS: Sendable {
        package var certificate: String
        package var key: String
        /// The CA of the required client certificates; `nil` if none are required.
        package var clientAuthority: String?

        package init(certificate: String, key: String, clientAuthority: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientAuthority = clientAuthority
        }
    }

    /// Whether Redis is installed.
    package static var canRun: Bool {
        ToolProcess.isInstalled("redis-server") && ToolProcess.isInstalled("redis-cli")
    }

    package let port: UInt16
    /// The port for TLS.
    ///
    /// Without TLS, no server listens on it.
    package let securePort: UInt16
    private let server: BackgroundTool
    private let password: String?

    /// Starts Redis.
    ///
    /// - Parameters:
    ///   - folder: The working directory. Redis writes no files to it.
    ///   - password: The default user's password; `nil` for none.
    ///   - tls: The TLS files; `nil` for plain TCP.
    ///   - options: Additional command-line options.
    /// - Throws: An error if Redis does not start.
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

    /// Returns the output of `redis-cli` for a command.
    package func ask(_ command: [String]) throws -> String {
        let login = self.password.map { ["--no-auth-warning", "-a", $0] } ?? []
        return try ToolProcess.run("redis-cli", ["-p", "\(self.port)"] + login + command).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
