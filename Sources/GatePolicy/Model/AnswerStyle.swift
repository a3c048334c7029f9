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

/// The content of a denial in a shape of its own.
package enum BodyTemplate: Sendable, Equatable {
    /// Plain text with places.
    case text(NoticeTemplate)
    /// JSON whose strings have places.
    case json(Value)

    package indirect enum Value: Sendable, Equatable {
        case null
        case boolean(Bool)
        /// A number as JSON writes it (RFC 8259 section 6).
        case number(String)
        /// A string with places.
        ///
        /// One that is a single place becomes the value itself: a number for `{status}` and
        /// `{minimumBuild}`, and `null` where nothing is known.
        case text(NoticeTemplate)
        case list([Value])
        case object([Member])
    }

    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }
}
