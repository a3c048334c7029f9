import ArgumentParser
import FoundationEssentials
import GateAdmin
import GateControl
import GatePolicy

/// The running gate that a command asks, at its listener for operators.
struct RunningGate: ParsableArguments {
    @Option(help: "Where the gate listens for operators: [HOST:]PORT, on this machine.")
    var admin = "9901"
    @Option(
        help: "The file with its token, if it wants one; else VERSIONGATE_ADMIN_TOKEN_FILE."
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
