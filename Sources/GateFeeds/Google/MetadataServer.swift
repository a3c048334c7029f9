private import FoundationEssentials
internal import GatePolicy
internal import GateRules
internal import GateSystem

/// The server that tells a machine of Google Cloud, or a workload on GKE, which account it is.
///
/// https://cloud.google.com/compute/docs/access/authenticate-workloads
enum MetadataServer {
    /// Its address in tests and emulators; Google's own libraries read the same variable.
    static let hostVariable = "GCE_METADATA_HOST"

    /// The question for a token that opens the scopes; the environment may name another host.
    ///
    /// - Throws: `FeedFailure` if that host is not this machine.
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
                throw .secret("\(Self.hostVariable) is no host of this machine: \(error)")
            }
        } else {
            url = .googleMetadata(path + query)
        }
        // A browser cannot be made to send this field, nor will a server pass it on by mistake.
        let mark = HeaderField(name: "Metadata-Flavor", value: "Google")
        let patience = FetchLimits(
            deadline: .seconds(10),
            connect: .seconds(3),
            silence: .seconds(10),
            bytes: 64 << 10
        )
        return FetchRequest(url, fields: [mark], limits: patience)
    }

    /// The failure of a machine on which nobody answers.
    static func failure(_ failure: FetchFailure) -> FeedFailure {
        .secret(
            """
            the metadata server does not answer (\(failure)): 'serviceAccount: \
            \(GoogleIdentity.metadataWord)' is for machines of Google Cloud; elsewhere name a file
            """
        )
    }
}
