/// The reason for rejecting a message (RFC 9112).
package enum MessageFault: Error, Equatable, Sendable {
    case startLine
    case method
    case target
    case version
    case unsupportedVersion
    case unsupportedMethod
    /// The protocol in an extended CONNECT request is not supported (RFC 8441 section 4).
    case unsupportedProtocol
    case lineEnd
    case fieldName
    case fieldValue
    case foldedField
    case host
    case maxForwards
    case contentLength
    case transferEncoding
    case unsupportedTransferCoding
    case bothLengths
    case chunkSize
    case chunkExtension
    case chunkEnd
    case trailer
    case headTooLarge
    case tooManyFields
    case targetTooLong
    case status
    /// The HTTP/2 message is malformed (RFC 9113 section 8.1.1).
    case http2

    /// The description of the fault, for the response and the log.
    package var explanation: String {
        switch self {
        case .startLine: "The first line is not an HTTP request line."
        case .method: "The method is not a token."
        case .target: "The request target is malformed."
        case .version: "The HTTP version is malformed."
        case .unsupportedVersion: "This HTTP version is not supported."
        case .unsupportedMethod: "This method is not supported."
        case .unsupportedProtocol: "This protocol is not supported."
        case .lineEnd: "A line does not end with CR LF."
        case .fieldName: "A header field name is malformed."
        case .fieldValue: "A header field value contains a control character."
        case .foldedField: "A header field is folded over several lines."
        case .host: "The Host header field is missing, malformed or repeated."
        case .maxForwards: "Max-Forwards is malformed or repeated."
        case .contentLength: "Content-Length is malformed or repeated."
        case .transferEncoding: "Transfer-Encoding is malformed."
        case .unsupportedTransferCoding: "This transfer coding is not supported."
        case .bothLengths: "Content-Length and Transfer-Encoding are both present."
        case .chunkSize: "A chunk size is malformed."
        case .chunkExtension: "A chunk extension is malformed or too long."
        case .chunkEnd: "The end of a chunk does not match its size."
        case .trailer: "The trailer section is malformed."
        case .headTooLarge: "The header section is too large."
        case .tooManyFields: "There are too many header fields."
        case .targetTooLong: "The request target is too long."
        case .status: "The status line is malformed."
        case .http2: "The HTTP/2 message is malformed."
        }
    }

    /// The status of the response to a request with this fault (RFC 9110 section 15, RFC 6585 section 5).
    package var status: Int {
        switch self {
        case .unsupportedVersion: 505
        // RFC 9220 section 3 specifies 501 for an unknown protocol.
        case .unsupportedMethod, .unsupportedProtocol, .unsupportedTransferCoding: 501
        case .headTooLarge, .tooManyFields: 431
        case .targetTooLong: 414
        case .startLine, .method, .target, .version, .lineEnd, .fieldName, .fieldValue,
            .foldedField, .host, .maxForwards, .contentLength, .transferEncoding, .bothLengths,
            .chunkSize, .chunkExtension, .chunkEnd, .trailer, .status, .http2:
            400
        }
    }
}
