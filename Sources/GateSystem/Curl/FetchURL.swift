/// A URL that may be fetched: https for any host, http only for this machine and its metadata server.
///
/// The URL is parsed by libcurl itself, so the checks and the transfer cannot interpret it
/// differently.
package struct FetchURL: Sendable, Hashable {
    /// The reason why a string is not a valid URL, without the string, which may contain a secret.
    package enum Failure: Error, Equatable {
        case malformed
        case unsupportedScheme
        case plainText
        case credentials
    }

    /// The complete URL, including secrets in its query.
    package let text: String
    /// The host in lowercase; an IPv6 address is in brackets.
    package let host: String
    let port: Int
    let isSecure: Bool
    let path: String

    /// The host of Google Cloud's metadata server, which is only available over http on a
    /// link-local network.
    private static let metadataHost = "metadata.google.internal"

    /// Returns the URL of a path and query on the metadata server.
    package static func googleMetadata(_ path: String) -> FetchURL {
        FetchURL(
            text: "http://\(Self.metadataHost)\(path)",
            host: Self.metadataHost,
            port: 80,
            isSecure: false,
            path: String(path.prefix { $0 != "?" })
        )
    }

    /// Whether the host is this machine or its metadata server, for which no proxy may be used.
    var isLocal: Bool { Self.isLoopback(self.host) || self.host == Self.metadataHost }

    package func hasSameOrigin(as other: FetchURL) -> Bool {
        (self.isSecure, self.host, self.port) == (other.isSecure, other.host, other.port)
    }

    /// Whether a host is a loopback name or address, which name resolution cannot redirect.
    static func isLoopback(_ host: String) -> Bool {
        // libcurl always resolves "localhost" to the loopback address.
        host == "localhost" || host == "[::1]"
            || host.wholeMatch(of: /127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/) != nil
    }
}

extension FetchURL: CustomStringConvertible {
    /// The URL without its query, which may contain secrets.
    package var description: String {
        let scheme = self.isSecure ? "https" : "http"
        let usual = self.isSecure ? 443 : 80
        let port = self.port == usual ? "" : ":\(self.port)"
        return "\(scheme)://\(self.host)\(port)\(self.path)"
    }
}

extension FetchURL.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed: "expected a URL such as https://example.com/rules.yaml"
        case .unsupportedScheme: "the URL must start with https://"
        case .plainText: "http:// is only allowed for this machine (localhost); use https://"
        case .credentials: "a URL must not contain a user name or password"
        }
    }
}
