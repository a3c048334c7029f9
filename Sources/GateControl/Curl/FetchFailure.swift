/// The reason why a source could not be fetched or its response cannot be used.
///
/// No case contains a URL, a header field or a body, so a failure never reveals a secret.
package enum FetchFailure: Error, Equatable {
    /// The fault of a server certificate.
    package enum Certificate: Sendable, Equatable {
        case unknownAuthority
        case expired
        case notYetValid
        case wrongName
        case other(String)
    }

    /// The host name has no address.
    case unknownHost
    /// The connection was refused, or the host is unreachable.
    case unreachable
    /// Connecting, including the TLS handshake, timed out.
    case connectTimeout
    case certificate(Certificate)
    /// TLS failed for a reason other than the certificate.
    case handshake
    /// The proxy of the environment refused the connection, or is not a proxy.
    case proxy
    /// The connection ended before a response.
    case noAnswer
    /// The connection ended in the middle of the response.
    case cutShort
    /// The response has no length, so a truncated one could not be detected.
    case unframed
    /// The response exceeds the size limit in bytes.
    case tooLarge(limit: Int)
    /// The exchange exceeded its deadline.
    case deadline
    /// A stream sent nothing for longer than its timeout.
    case silence
    /// The body does not match its `Content-Encoding`.
    case badEncoding
    /// The response is not HTTP.
    case notHTTP
    case tooManyRedirects
    /// A redirect of a request that must not be redirected, or one without `Location`.
    case unexpectedRedirect(status: Int)
    /// A redirect to a host that is not on the list, or to an invalid URL.
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
        case .unknownHost: "the host name has no address"
        case .unreachable: "nobody accepts connections there"
        case .connectTimeout: "connecting took too long"
        case .certificate(let problem): "the certificate is not to be trusted: \(problem)"
        case .handshake: "TLS could not be set up: the port may be one without TLS"
        case .proxy: "the proxy does not let the connection through"
        case .noAnswer: "the connection ended without an answer"
        case .cutShort: "the connection ended in the middle of the answer"
        case .unframed: "the answer does not say how long it is, so that it may have been cut"
        case .tooLarge(let limit): "the answer is larger than \(limit) bytes"
        case .deadline: "the answer took too long"
        case .silence: "the stream fell silent"
        case .badEncoding: "the answer is not compressed as it says"
        case .notHTTP: "the answer is not HTTP"
        case .tooManyRedirects: "more than \(RedirectRule.limit) redirects in a row"
        case .unexpectedRedirect(let status): "a redirect (\(status)) that cannot be followed"
        case .refusedRedirect(let host?, _):
            "a redirect to '\(host)', which is not allowed; 'redirectsTo' names hosts that are"
        case .refusedRedirect(nil, let problem):
            "a redirect that is not allowed: \(problem.map { "\($0)" } ?? "no address")"
        case .unsendable: "the request has a character that cannot be sent"
        case .cancelled: "cancelled"
        case .other(let text): text
        }
    }
}

extension FetchFailure.Certificate: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownAuthority: "nobody vouches for it who is trusted here"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .wrongName: "it is for another host"
        case .other(let text): text
        }
    }
}
