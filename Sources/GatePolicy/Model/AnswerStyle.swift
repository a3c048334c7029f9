/// The format of a denial, for released apps that understand no other format.
package struct AnswerStyle: Sendable, Equatable {
    /// The status that replaces 426; `nil` if 426 is not replaced.
    ///
    /// In the style of a rule, this status also replaces 503 for the rule's maintenance window.
    package var status: Int?
    /// The content that replaces the problem details; `nil` if they are not replaced.
    package var body: BodyTemplate?
    /// The media type of `body`; `nil` means the default media type for that kind of body.
    package var contentType: String?
    /// Whether a 426 response over HTTP/1.1 has an `Upgrade` field, as RFC 9110 section 15.5.22
    /// requires.
    ///
    /// `nil` means false.
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

    /// Returns this style, with missing values filled in from another style.
    func filled(by other: AnswerStyle) -> AnswerStyle {
        AnswerStyle(
            status: self.status ?? other.status,
            body: self.body ?? other.body,
            // The media type belongs to the body, so both come from the same style.
            contentType: self.body == nil ? other.contentType : self.contentType,
            sendsUpgrade: self.sendsUpgrade ?? other.sendsUpgrade
        )
    }
}

/// A template for the content of a denial.
package enum BodyTemplate: Sendable, Equatable {
    /// Plain text with placeholders.
    case text(NoticeTemplate)
    /// JSON with placeholders in its strings.
    case json(Value)

    package indirect enum Value: Sendable, Equatable {
        case null
        case boolean(Bool)
        /// A number in JSON notation (RFC 8259 section 6).
        case number(String)
        /// A string with placeholders.
        ///
        /// A string that consists of a single placeholder is replaced by the value itself: a number
        /// for `{status}` and `{minimumBuild}`, and `null` if the value is unknown.
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
