private import FoundationEssentials
internal import GatePolicy
internal import GateRules
internal import GateSystem

/// The server that provides tokens to machines on Google Cloud and workloads on GKE.
///
/// https://cloud.google.com/compute/docs/access/authenticate-workloads
enum MetadataServer {
    /// The environment variable that overrides the host in tests and emulators; Google's own
    /// libraries also read it.
    static let hostVariable = "GCE_METADATA_HOST"

    /// Creates the request for a token with scopes; the environment may override the host.
    ///
    /// - Throws: `FeedFailure` if the host is not a loopback name or address.
    static func question(
        scopes: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(FeedFailure) -> FetchRequest {
        let path = "/computeMetadata/v1/instance/service-accounts/default/token"
        let query = "?scopes=\(scopes.joined(separator: ","))"
        let url: FetchURL
        if let host = environment[Self.hostVariable] {
            do {
                url = try FetchURL(parsing: "http://\(host)\(path)\(query)")
            } catch {
                throw .secret("\(Self.hostVariable) '\(host)' is not a loopback address")
            }
        } else {
            url = .googleMetadata(path + query)
        }
        // The server requires this header field, which browsers and proxies do not send by
        // accident.
        let mark = HeaderField(name: "Metadata-Flavor", value: "Google")
        let patience = FetchLimits(
            deadline: .seconds(10),
            connect: .seconds(3),
            silence: .seconds(10),
            bytes: 64 << 10
        )
        return FetchRequest(url, fields: [mark], limits: patience)
    }

    /// Creates the failure to report on a machine without a metadata server.
    static func failure(_ failure: FetchFailure) -> FeedFailure {
        .secret(
            """
            the metadata server does not respond (\(failure)): 'serviceAccount: \
            \(GoogleIdentity.metadataWord)' works only on Google Cloud; elsewhere, use a file
            """
        )
    }
}
