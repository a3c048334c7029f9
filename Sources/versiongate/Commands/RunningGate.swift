import ArgumentParser
import FoundationEssentials
import GateAdmin
import GatePolicy
import GateSystem

/// The running gate that a command asks, at its listener for operators.
struct RunningGate: ParsableArguments {
    @Option(help: "Where the gate listens for operators: [HOST:]PORT, on this machine.")
    var admin = "9901"
    @Option(
        help: "The file with its tokens, if it has one; else VERSIONGATE_ADMIN_TOKEN_FILE."
    )
    var adminTokenFile: String?

    /// `HOST:PORT`.
    var address: String { Int(self.admin) == nil ? self.admin : "127.0.0.1:\(self.admin)" }

    /// A request with the token, if there is one.
    ///
    /// - Throws: The reason for which the address or the file of the token is none.
    func request(
        _ path: String,
        _ method: FetchRequest.Method = .get,
        fields: [HeaderField] = []
    ) throws -> FetchRequest {
        let name = Settings[\.adminTokenFile].name.environmentVariable
        let file = self.adminTokenFile ?? ProcessInfo.processInfo.environment[name]
        return FetchRequest(
            try FetchURL(parsing: "http://\(self.address)\(path)"),
            method: method,
            fields: fields,
            credential: try AdminTokenFile(file: file).map { .bearer($0.text) }
        )
    }
}

/// A response that a command did not expect: the reason that the gate gives, or that it is no gate.
struct GateProblem: Error, CustomStringConvertible {
    private struct Document: Decodable {
        var detail: String
    }

    let description: String

    init(_ status: Int, _ body: [UInt8]) {
        let document = try? JSONDecoder().decode(Document.self, from: Data(body))
        self.description = "\(document?.detail ?? "this is no gate") (\(status))"
    }
}
