import Foundation
import Glibc

/// A source of rules or releases, which runs in a process of its own (`Tests/FeedServers/serve.py`).
///
/// The README in that folder lists the servers' names, the switches of their states, and the faults.
package final class FeedServer: Sendable {
    /// The paths of the files that a server needs for TLS.
    package struct Identity: Sendable {
        package var certificate: String
        package var key: String

        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Whether Python is installed.
    package static var canRun: Bool { ToolProcess.isInstalled("python3") }

    /// The port of the source on 127.0.0.1.
    package let port: UInt16
    private let controlPort: UInt16
    private let scheme: String
    private let process: Process
    private let input = Process.makePipe()
    private let output = OutputCollector()

    /// Starts a server and waits until it listens.
    ///
    /// Without an identity it uses plain HTTP.
    package init(_ name: String, identity: Identity? = nil) throws {
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../FeedServers/serve.py").standardized
        let process = Process()
        process.executableURL = try ToolProcess.locate("python3")
        process.arguments =
            [program.path, name]
            + (identity.map { ["--cert", $0.certificate, "--key", $0.key] } ?? [])
        process.standardInput = self.input
        process.standardOutput = self.output.pipe
        process.standardError = FileHandle.standardError
        try process.start()
        self.output.start()
        self.process = process
        self.scheme = identity == nil ? "http" : "https"
        do {
            (self.port, self.controlPort) = try Self.ports(from: self.output)
        } catch {
            _ = kill(process.processIdentifier, SIGKILL)
            throw error
        }
    }

    deinit {
        self.stop()
    }

    /// Kills the server at once.
    package func stop() {
        if self.process.isRunning { _ = kill(self.process.processIdentifier, SIGKILL) }
    }

    /// Returns the URL of a target, with the host `localhost`, for which the certificate is valid.
    package func url(_ target: String) -> String {
        "\(self.scheme)://localhost:\(self.port)\(target)"
    }

    /// Sets the switches in the JSON object, and all others to their defaults.
    package func setState(_ json: String) throws {
        try self.ask("PUT", "/state", json)
    }

    /// Sets the switches in the JSON object, and keeps all others.
    package func changeState(_ json: String) throws {
        try self.ask("PATCH", "/state", json)
    }

    /// Sets the faults for the following requests.
    ///
    /// Pending faults are removed.
    package func setFaults(_ faults: FeedFault...) throws {
        let json = try JSONEncoder().encode(faults)
        try self.ask("PUT", "/fault", String(decoding: json, as: UTF8.self))
    }

    /// Runs an action that is specific to the server, such as `send` of a webhook.
    @discardableResult
    package func act(_ action: String, _ json: String = "{}") throws -> RawResponse {
        try self.ask("POST", "/\(action)", json)
    }

    /// Closes every open connection.
    package func disconnect() throws {
        try self.ask("POST", "/disconnect")
    }

    /// Returns the received requests after the one with this number.
    ///
    /// Waits until there is such a request or the timeout expires.
    package func requests(
        after number: Int = 0,
        waiting: Duration = .zero
    ) throws -> [FeedRequest] {
        let (seconds, attoseconds) = waiting.components
        let wait = Double(seconds) + Double(attoseconds) * 1e-18
        return try self.ask("GET", "/log?after=\(number)&wait=\(wait)").json()
    }

    /// Returns the port of the other host, to which requests are redirected.
    package func otherPort() throws -> UInt16 {
        struct Summary: Decodable {
            var otherPort: UInt16
        }
        return try self.ask("GET", "/").json(Summary.self).otherPort
    }

    /// Sends a request to the control port.
    @discardableResult
    package func ask(
        _ method: String,
        _ target: String,
        _ json: String = ""
    ) throws -> RawResponse {
        let client = try RawClient(port: self.controlPort)
        let length = json.utf8.count
        let head = "\(method) \(target) HTTP/1.1\r\nHost: control\r\nContent-Length: \(length)\r\n"
        try client.send(head + "Connection: close\r\n\r\n" + json)
        let response = try client.response(by: .after(.seconds(30)))
        guard response.status == 200 else {
            throw HarnessError("\(method) \(target): \(response.text)")
        }
        return response
    }

    private static func ports(from output: OutputCollector) throws -> (UInt16, UInt16) {
        let line = try output.collected.wait(for: "a feed's server") { collected in
            collected.lines.first ?? (collected.hasEnded ? "" : nil)
        }
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "listening",
            let port = UInt16(words[1]), let controlPort = UInt16(words[2])
        else {
            throw HarnessError("the feed's server did not start: \(line)")
        }
        return (port, controlPort)
    }
}
