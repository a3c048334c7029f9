import ArgumentParser
import FoundationEssentials
import GateAdmin
import GatePolicy
import GateSystem

/// The options for the admin listener to which a command sends requests.
struct RunningGate: ParsableArguments {
    @Option(help: "The admin listener of the gate: [HOST:]PORT, on this machine.")
    var admin = "9901"
    @Option(
        help: "The file with the admin tokens, if any (default: VERSIONGATE_ADMIN_TOKEN_FILE)."
    )
    var adminTokenFile: String?

    /// The address of the admin listener, as `HOST:PORT`.
    var address: String { Int(self.admin) == nil ? self.admin : "127.0.0.1:\(self.admin)" }

    /// Creates a request to the admin listener, with a token if a token file is configured.
    ///
    /// - Throws: An error if the address or the token file is invalid.
    func request(
        _ path: String,
        _ method: FetchRequest.Method = .get,
        fields: [HeaderField] = []
    ) throws -> FetchRequest {
        let url = try FetchURL(parsing: "http://\(self.address)\(path)")
        let file = self.adminTokenFile ?? Settings[\.adminTokenFile].name.environmentValue
        let tokens = try Settings.open(\.adminTokenFile, file) { try AdminTokenFile(path: $0) }
        return FetchRequest(
            url,
            method: method,
            fields: fields,
            credential: tokens.map { .bearer($0.text) }
        )
    }
}

extension FetchResponse {
    /// Returns the value decoded from the JSON in the body; `nil` if the body cannot be decoded.
    func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
        try? JSONDecoder().decode(type, from: Data(self.body))
    }
}

/// The error for an unexpected response: the reason given by the gate, or the fact that the server
/// is not a gate.
struct GateProblem: Error, CustomStringConvertible {
    private struct Document: Decodable {
        var detail: String
    }

    let description: String

    init(_ status: Int, _ body: [UInt8]) {
        let document = try? JSONDecoder().decode(Document.self, from: Data(body))
        self.description = "\(document?.detail ?? "not a gate") (status \(status))"
    }
}
