import Foundation
import GateTestSupport
import Testing

/// A client's identity, as tests send it.
struct CensusVisitor {
    var platform: String? = "ios"
    var version: String?
    var device: String?
    var method = "GET"
    var path = "/"

    var request: String {
        let fields = [
            self.platform.map { "X-App-Platform: \($0)\r\n" },
            self.version.map { "X-App-Version: \($0)\r\n" },
            self.device.map { "X-Device-Id: \($0)\r\n" },
        ]
        return Request.text(self.method, self.path, fields: fields.compactMap(\.self).joined())
    }
}

extension Scene {
    /// Sends all requests on one connection, in batches, because waiting for each response would take minutes.
    ///
    /// - Returns: The number of denials.
    @discardableResult
    func send(_ visitors: [CensusVisitor]) throws -> Int {
        let client = try self.connect()
        var refused = 0
        for start in stride(from: 0, to: visitors.count, by: 32) {
            let some = visitors[start..<Swift.min(start + 32, visitors.count)]
            try client.send(some.map(\.request).joined())
            for _ in some where try client.response().status == 426 { refused += 1 }
        }
        return refused
    }

    /// Sends all requests, and waits until the census has counted them.
    func count(_ visitors: [CensusVisitor]) throws {
        let skipped = self.gate.logLines.count
        try self.send(visitors)
        try self.awaitCensus(of: visitors.count, skipping: skipped)
    }

    /// Waits until the census has stored this number of requests since a position in the log.
    func awaitCensus(of requests: Int, skipping skipped: Int) throws {
        var written = 0
        try self.gate.logLine("the census to be written", skipping: skipped) { line in
            guard line.message == "census written" else { return false }
            written += line.metadata["requests"].flatMap { Int($0) } ?? 0
            return written == requests
        }
    }

    /// Makes the gate reload its rules, and returns the response.
    func askToReload() throws -> RawResponse {
        try self.askAdmin("POST", "/-/reload")
    }

    /// The gate's state folder.
    var stateFolder: String { self.folder.path(of: "state") }

    /// Returns the output of `versiongate census` or `impact`, as JSON.
    func report(_ command: String, _ arguments: String...) throws -> JSONReport {
        try self.report(command, arguments)
    }

    func report(_ command: String, _ arguments: [String]) throws -> JSONReport {
        let result = try ToolProcess.versiongate(
            [command] + arguments + ["--state", self.stateFolder, "--json"]
        )
        try #require(result.status == 0, "\(result.errors)")
        return try JSONReport(result.output)
    }
}

extension GateFlag {
    /// Writes the census key, the same in each run, to a file in the folder.
    ///
    /// Devices that share a register of a sketch are counted as one. With a random key, that happens to two of 20
    /// devices in one run out of 87. With this key, it does not happen to these tests' devices.
    static func censusKey(in folder: TemporaryFolder) throws -> GateFlag {
        try folder.writeInPlace("000102030405060708090a0b0c0d0e0f\n", to: "census-key")
        return .censusKeyFile(path: folder.path(of: "census-key"))
    }
}

/// A JSON report of the executable.
struct JSONReport {
    let fields: [String: Any]

    init(_ text: String) throws {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
        self.fields = try #require(object as? [String: Any])
    }

    private init(fields: [String: Any]) {
        self.fields = fields
    }

    func number(_ key: String) -> Int? { self.fields[key] as? Int }

    func text(_ key: String) -> String? { self.fields[key] as? String }

    func part(_ key: String) -> JSONReport? {
        (self.fields[key] as? [String: Any]).map(JSONReport.init(fields:))
    }

    func list(_ key: String) -> [JSONReport] {
        (self.fields[key] as? [[String: Any]] ?? []).map(JSONReport.init(fields:))
    }
}
