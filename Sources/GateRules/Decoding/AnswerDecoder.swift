internal import GatePolicy

/// Decodes `status`, `body`, `contentType` and `upgradeHeader`: the format of a denial.
struct AnswerDecoder {
    static let keys = ["status", "body", "contentType", "upgradeHeader"]
    /// Statuses that clients, caches and proxies handle automatically, or that require header
    /// fields that a denial lacks.
    private static let reservedStatuses: Set<Int> = [
        401, 407, 408, 411, 413, 416, 417, 421, 431,
    ]

    let problems: Problems

    func decode(_ fields: Fields) -> AnswerStyle {
        if fields["body"] == nil { fields.refuse("contentType", "needs 'body'") }
        return AnswerStyle(
            status: fields["status"].flatMap { self.status($0) },
            body: fields["body"].flatMap { BodyDecoder(problems: self.problems).decode($0) },
            contentType: fields["contentType"].flatMap { self.mediaType($0) },
            sendsUpgrade: fields["upgradeHeader"].flatMap { $0.truth(self.problems) }
        )
    }

    private func status(_ element: Element) -> Int? {
        let status = element.status("a status from 400 to 599, or 200", self.problems) { status in
            status == 200 || (400...599).contains(status)
        }
        guard let status, Self.reservedStatuses.contains(status) else { return status }
        let message =
            "a denial cannot have status \(status), because HTTP clients handle it themselves"
        return self.problems.reject(message, at: element.place)
    }

    private func mediaType(_ element: Element) -> String? {
        element.parsed(as: "a media type", self.problems, by: MediaType.init(parsing:))?.text
    }
}

/// The media type of a denial, for the `Content-Type` field.
struct MediaType: Sendable, Equatable {
    private static let maximumLength = 128

    let text: String

    init(parsing text: String) throws(InvalidText) {
        let shape =
            /[A-Za-z0-9!#$&^_.+\-]+\/[A-Za-z0-9!#$&^_.+\-]+(?:; ?[a-z]+="?[A-Za-z0-9._:\-]+"?)*/
        guard text.utf8.count <= Self.maximumLength, text.wholeMatch(of: shape) != nil else {
            throw InvalidText(
                "expected a type such as 'application/json' or 'text/xml; charset=utf-8'"
            )
        }
        self.text = text
    }
}
