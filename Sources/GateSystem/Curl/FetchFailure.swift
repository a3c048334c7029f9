/// Why a source could not be asked, or why its answer counts for nothing.
///
/// No case holds an address, a field or a body: what is shown may be shown to anybody.
package enum FetchFailure: Error, Equatable {
    /// The fault of a certificate.
    package enum Certificate: Sendable, Equatable {
        case unknownAuthority
        case expired
        case notYetValid
        case wrongName
        case other(String)
    }

    /// The name has no address.
    case unknownHost
    /// Nobody listens there, or no way leads there.
    case unreachable
    /// The connection, TLS included, took too long.
    case connectTimeout
    case certificate(Certificate)
    /// TLS failed for another reason than the certificate.
    case handshake
    /// The proxy of the environment refused or is no proxy.
    case proxy
    /// The connection broke before there was an answer.
    case noAnswer
    /// The connection broke in the middle of the answer.
    case cutShort
    /// The answer has no length, so that nobody could tell a whole one from one that was cut.
    case unframed
    /// The answer has more bytes than are taken.
    case tooLarge(limit: Int)
    /// The whole took longer than its deadline.
    case deadline
    /// An endless answer fell silent.
    case silence
    /// The body is not compressed as its head says.
    case badEncoding
    /// The answer is not HTTP.
    case notHTTP
    case tooManyRedirects
    /// A redirect of something that must not be redirected, or one that leads nowhere.
    case unexpectedRedirect(status: Int)
    /// A redirect to a host that is not on the list, or to no address at all.
    case refusedRedirect(host: String?, FetchURL.Failure?)
    /// A header field, or the address with its parameters, cannot be sent.
    case unsendable
    /// The caller no longer wants the answer.
    case cancelled
    /// Something else, in libcurl's words.
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
