package import CCurl

extension FetchFailure {
    /// Creates the failure for a libcurl result code other than `CURLE_OK`.
    ///
    /// `progress` is the phase in which the transfer failed, and `verification` is the result of OpenSSL's certificate
    /// verification: 0 on success.
    package init(_ code: CURLcode, after progress: TransferProgress, verification: Int) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
        case CURLE_COULDNT_CONNECT: self = .unreachable
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxy
        case CURLE_URL_MALFORMAT: self = .unsendable
        // The scheme has already been checked, so the cause is a response without a status line.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: self = .notHTTP
        case CURLE_OPERATION_TIMEDOUT:
            self = progress == .connecting ? .connectTimeout : .deadline
        case CURLE_PEER_FAILED_VERIFICATION:
            self = .certificate(Certificate(verification: verification))
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: self = .handshake
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR: self = .noResponse
        case CURLE_PARTIAL_FILE: self = .cutShort
        case CURLE_RECV_ERROR:
            switch progress {
            case .connecting: self = .handshake
            case .refusedByProxy: self = .proxy
            case .waiting: self = .noResponse
            case .answering: self = .cutShort
            }
        case CURLE_BAD_CONTENT_ENCODING: self = .badEncoding
        case CURLE_SSL_CERTPROBLEM:
            self = .other("the client certificate or its key cannot be used")
        case CURLE_SSL_CACERT_BADFILE: self = .other("the CA certificates cannot be read")
        default: self = .other(unsafe String(cString: curl_easy_strerror(code)))
        }
    }
}

/// The phase in which a transfer failed.
package enum TransferProgress: Sendable, Equatable {
    case connecting
    case refusedByProxy
    /// Connected; no response head has been received.
    case waiting
    case answering
}

extension FetchFailure.Certificate {
    /// Maps a code from OpenSSL's `x509_vfy.h`.
    ///
    /// If the host name does not match, libcurl fails before it reads the code from OpenSSL; the
    /// code then still has its initial value, 1.
    fileprivate init(verification code: Int) {
        switch code {
        case 0, 1, 62, 64: self = .wrongName
        case 9: self = .notYetValid
        case 10: self = .expired
        case 2, 18, 19, 20, 21: self = .unknownAuthority
        default: self = .other("OpenSSL verification error \(code)")
        }
    }
}
