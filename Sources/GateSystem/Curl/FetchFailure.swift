/// The reason why a source could not be fetched, or why its response cannot be used.
///
/// No case contains a URL, a header field or a body, so a failure never reveals a secret.
package enum FetchFailure: Error, Equatable {
    /// The problem with a server certificate.
    package enum Certificate: Sendable, Equatable {
        case unknownAuthority
        case expired
        case notYetValid
        case wrongName
        case other(String)
    }

    /// The host name could not be resolved.
    case unknownHost
    /// The connection was refused, or the host is unreachable.
    case unreachable
    /// Connecting, including the TLS handshake, timed out.
    case connectTimeout
    case certificate(Certificate)
    /// TLS failed for a reason other than the certificate.
    case handshake
    /// The proxy from the environment variables was not found, refused the connection, or is not a
    /// proxy.
    case proxy
    /// The connection ended before a response.
    case noResponse
    /// The connection ended in the middle of the response.
    case cutShort
    /// The response has no length, so truncation could not be detected.
    case unframed
    /// The response is larger than `limit` bytes.
    case tooLarge(limit: Int)
    /// The exchange exceeded its deadline.
    case deadline
    /// A stream sent nothing for longer than its timeout.
    case silence
    /// The body does not match its `Content-Encoding`.
    case badEncoding
    /// The response is not HTTP.
    case notHTTP
    case tooManyRedirects(limit: Int)
    /// A redirect without `Location`, or a redirect of a request that must not be redirected.
    case unexpectedRedirect(status: Int)
    /// A redirect to a host that is not permitted, or to an invalid URL.
    case refusedRedirect(host: String?, FetchURL.Failure?)
    /// A header field, or the URL with its query parameters, cannot be sent.
    case unsendable
    /// The caller canceled the request.
    case cancelled
    /// Another failure, with libcurl's description.
    case other(String)
}

extension FetchFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownHost: "the host name could not be resolved"
        case .unreachable: "the connection was refused, or the host is unreachable"
        case .connectTimeout: "connecting timed out"
        case .certificate(let problem): "the certificate is not trusted: \(problem)"
        case .handshake: "the TLS handshake failed; the port might not support TLS"
        case .proxy: "the proxy was not found, refused the connection, or is not a proxy"
        case .noResponse: "the connection was closed without a response"
        case .cutShort: "the connection was closed in the middle of the response"
        case .unframed: "the response has no length, so it may be truncated"
        case .tooLarge(let limit): "the response is larger than \(limit) bytes"
        case .deadline: "the response timed out"
        case .silence: "the stream sent no data within the timeout"
        case .badEncoding: "the response does not match its Content-Encoding"
        case .notHTTP: "the response is not HTTP"
        case .tooManyRedirects(let limit): "more than \(limit) consecutive redirects"
        case .unexpectedRedirect(let status): "the redirect (\(status)) cannot be followed"
        case .refusedRedirect(let host?, _):
            "the redirect to '\(host)' is not allowed; list permitted hosts under 'redirectsTo'"
        case .refusedRedirect(nil, let problem):
            "the redirect is not allowed: \(problem.map { "\($0)" } ?? "the target is not a URL")"
        case .unsendable: "the request contains a character that cannot be sent"
        case .cancelled: "canceled"
        case .other(let text): text
        }
    }
}

extension FetchFailure.Certificate: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownAuthority: "it was not issued by a trusted authority"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .wrongName: "it is for another host"
        case .other(let text): text
        }
    }
}
