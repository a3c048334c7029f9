internal import FoundationEssentials
internal import GatePolicy
internal import GateRules
internal import NIOHTTP1

/// A response from the admin listener: JSON, metrics, a file or a status without a body.
///
/// Endpoints also throw a response to reject a request.
struct AdminAnswer: Error, Equatable {
    /// A problem document (RFC 9457) without its own type.
    private struct Problem: Encodable {
        let title: String
        let status: UInt
        let detail: String
        /// The errors in rules or in a request, with their locations.
        let errors: [ErrorEntry]?
    }

    let status: HTTPResponseStatus
    /// Header fields other than those that describe the body.
    private var fields = HTTPHeaders()
    /// The media type; `nil` if there is no body.
    let contentType: String?
    let body: [UInt8]

    /// Creates a response without a body.
    init(bare status: HTTPResponseStatus) {
        self.status = status
        self.contentType = nil
        self.body = []
    }

    init(
        _ status: HTTPResponseStatus,
        _ content: some Encodable,
        as contentType: String = "application/json"
    ) {
        self.status = status
        self.contentType = contentType
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        self.body = ((try? encoder.encode(content)).map { Array($0) } ?? []) + [0x0A]
    }

    /// Creates a text response, such as a file that is embedded in the gate.
    init(text: String, type: String) {
        self.status = .ok
        self.contentType = type
        self.body = Array(text.utf8)
    }

    /// Creates an error response; the status shows whether the client or the gate is at fault.
    ///
    /// `errors` contains the errors in rules or in a request, if there are any.
    static func refusal(
        _ status: HTTPResponseStatus,
        _ message: String,
        errors: [RulesFileError] = []
    ) -> AdminAnswer {
        let problem = Problem(
            title: status.reasonPhrase,
            status: status.code,
            detail: message,
            errors: errors.isEmpty ? nil : errors.map { ErrorEntry($0) }
        )
        return AdminAnswer(status, problem, as: "application/problem+json")
    }

    static let disallowedHost = AdminAnswer.refusal(
        .misdirectedRequest,
        "the Host header must be an IP address, localhost, or the name in --admin-listen"
    )

    static let tooManyListeners = AdminAnswer.overload(
        "the maximum number of event streams is open; try again later, or poll the API",
        retryAfter: 10
    )

    static let tooManyBodies = AdminAnswer.overload(
        "too many request bodies are incomplete, and this one is the oldest; try again later"
    )

    static let tooManyRequests = AdminAnswer.overload(
        "too many requests are in progress; try again later"
    )

    /// Creates an error response for a limit that was exceeded.
    ///
    /// `retryAfter` is the time in seconds after which the client may retry.
    static func overload(_ message: String, retryAfter: Int = 1) -> AdminAnswer {
        .refusal(.serviceUnavailable, message).with("Retry-After", "\(retryAfter)")
    }

    static let crossOrigin = AdminAnswer.refusal(
        .forbidden,
        "the request is from a page with a different origin"
    )

    /// Creates the response to a request without a valid token.
    ///
    /// `isPage` is whether the client is a browser, which can send a token only as a password.
    static func unauthorized(isPage: Bool) -> AdminAnswer {
        let answer = AdminAnswer.refusal(
            .unauthorized,
            "a token from --admin-token-file is required: Authorization: Bearer TOKEN"
        )
        .with("WWW-Authenticate", "Bearer realm=\"versiongate\"")
        guard isPage else { return answer }
        return answer.with("WWW-Authenticate", "Basic realm=\"versiongate\", charset=\"UTF-8\"")
    }

    static func wrongMethod(on route: AdminRoute) -> AdminAnswer {
        let methods = route.methods.map(\.rawValue).joined(separator: ", ")
        return .refusal(.methodNotAllowed, "the allowed methods are \(methods)")
            .with("Allow", methods)
    }

    /// Creates an error response for an invalid parameter.
    static func invalid(_ name: String, _ reason: String) -> AdminAnswer {
        .refusal(.badRequest, "\(name): \(reason)")
    }

    /// Returns the response with an additional header field.
    func with(_ name: String, _ value: String) -> AdminAnswer {
        var answer = self
        answer.fields.add(name: name, value: value)
        return answer
    }

    /// Creates the response head, which states whether the connection stays open.
    func head(keepsConnection: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders([
            ("Content-Length", "\(self.body.count)"),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ])
        if let contentType = self.contentType {
            headers.add(name: "Content-Type", value: contentType)
        }
        headers.add(contentsOf: self.fields)
        if !keepsConnection { headers.add(name: "Connection", value: "close") }
        return HTTPResponseHead(version: .http1_1, status: self.status, headers: headers)
    }
}

/// An error in rules or in a request, with its location.
package struct ErrorEntry: Codable {
    package let file: String
    package let line: Int
    package let column: Int
    package let message: String

    init(_ error: RulesFileError) {
        self.file = error.file
        self.line = error.line
        self.column = error.column
        self.message = error.message
    }
}
