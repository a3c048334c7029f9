/// How a denial is dressed, for apps in the wild that understand nothing else.
package struct AnswerStyle: Sendable, Equatable {
    /// The status in place of 426, and in the style of a rule also of its 503 for maintenance.
    package var status: Int?
    /// The content in place of the problem details.
    package var body: BodyTemplate?
    /// The media type of `body`; `nil` for the one that goes with its shape.
    package var contentType: String?
    /// Whether a 426 over HTTP/1.1 names a protocol in `Upgrade`, as RFC 9110 section 15.5.22
    /// wants it; `nil` for no.
    package var sendsUpgrade: Bool?

    package static let standard = AnswerStyle()

    package init(
        status: Int? = nil,
        body: BodyTemplate? = nil,
        contentType: String? = nil,
        sendsUpgrade: Bool? = nil
    ) {
        self.status = status
        self.body = body
        self.contentType = contentType
        self.sendsUpgrade = sendsUpgrade
    }

    /// This style, with another one for what it leaves open.
    func filled(by other: AnswerStyle) -> AnswerStyle {
        AnswerStyle(
            status: self.status ?? other.status,
            body: self.body ?? other.body,
            // A media type belongs to its body.
            contentType: self.body == nil ? other.contentType : self.contentType,
            sendsUpgrade: self.sendsUpgrade ?? other.sendsUpgrade
        )
    }
}
