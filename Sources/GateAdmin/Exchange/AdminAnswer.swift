internal import FoundationEssentials
internal import NIOHTTP1

/// The admin listener's answer: JSON, metrics, or a bare status.
struct AdminAnswer: Sendable, Equatable {
    private struct Problem: Encodable {
        let error: String
    }

    let status: HTTPResponseStatus
    /// Besides those that say what the body is.
    var fields: [(name: String, value: String)] = []
    /// `nil`: there is no body.
    let contentType: String?
    let body: [UInt8]

    /// A status that says all there is to say.
    init(bare status: HTTPResponseStatus) {
        self.status = status
        self.contentType = nil
        self.body = []
    }

    init(metrics families: [MetricFamily]) {
        self.status = .ok
        self.contentType = Exposition.contentType
        self.body = Array(Exposition.text(families).utf8)
    }

    init(_ status: HTTPResponseStatus, _ content: some Encodable) {
        self.status = status
        self.contentType = "application/json"
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        self.body = ((try? encoder.encode(content)).map { Array($0) } ?? []) + [0x0A]
    }

    /// Something is wrong, and whose fault it is.
    static func refusal(_ status: HTTPResponseStatus, _ message: String) -> AdminAnswer {
        AdminAnswer(status, Problem(error: message))
    }

    static let strangeHost = AdminAnswer.refusal(
        .misdirectedRequest,
        "ask by an address, by localhost, or by the name in --admin-listen"
    )

    static let unauthorized: AdminAnswer = {
        var answer = AdminAnswer.refusal(
            .unauthorized,
            "the token of --admin-token-file is wanted: Authorization: Bearer TOKEN"
        )
        answer.fields = [("WWW-Authenticate", "Bearer realm=\"versiongate\"")]
        return answer
    }()

    static func wrongMethod(on route: AdminRoute) -> AdminAnswer {
        let methods = route.methods.map(\.rawValue).joined(separator: ", ")
        var answer = AdminAnswer.refusal(.methodNotAllowed, "only \(methods)")
        answer.fields = [("Allow", methods)]
        return answer
    }

    /// The head, for a connection that goes on or ends with it.
    func head(keepsConnection: Bool) -> HTTPResponseHead {
        var headers = HTTPHeaders([
            ("Content-Length", "\(self.body.count)"),
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ])
        if let contentType = self.contentType {
            headers.add(name: "Content-Type", value: contentType)
        }
        for (name, value) in self.fields { headers.add(name: name, value: value) }
        if !keepsConnection { headers.add(name: "Connection", value: "close") }
        return HTTPResponseHead(version: .http1_1, status: self.status, headers: headers)
    }

    static func == (left: AdminAnswer, right: AdminAnswer) -> Bool {
        left.status == right.status && left.contentType == right.contentType
            && left.body == right.body
            && left.fields.elementsEqual(right.fields, by: ==)
    }
}
