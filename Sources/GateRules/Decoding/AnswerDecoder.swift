internal import GatePolicy

/// Decodes `status`, `body`, `contentType` and `upgradeHeader`: the format of a denial.
struct AnswerDecoder {
    static let keys = ["status", "body", "contentType", "upgradeHeader"]
    private static let expectedStatus = "a status from 400 to 599, or 200"
    /// Statuses that clients, caches and proxies act on by themselves, or that require header
    /// fields that a denial lacks.
    private static let reservedStatuses: Set<UInt64> = [
        401, 407, 408, 411, 413, 416, 417, 421, 431,
    ]

    let problems: Problems

    func decode(_ fields: Fields) -> AnswerStyle {
        if fields["body"] == nil, let place = fields.place(of: "contentType") {
            self.problems.report("'contentType' needs 'body'", at: place)
        }
        return AnswerStyle(
            status: fields["status"].flatMap { self.status($0) },
            body: fields["body"].flatMap { BodyDecoder(problems: self.problems).decode($0) },
            contentType: fields["contentType"].flatMap { self.mediaType($0) },
            sendsUpgrade: fields["upgradeHeader"].flatMap { $0.truth(self.problems) }
        )
    }

    private func status(_ element: Element) -> Int? {
        let expected = Self.expectedStatus
        guard let status = element.wholeNumber(expected, self.problems) else { return nil }
        guard status == 200 || (400...599).contains(status) else {
            return self.problems.reject("expected \(expected), found \(status)", at: element.place)
        }
        guard !Self.reservedStatuses.contains(status) else {
            let message =
                "a denial cannot have status \(status), because HTTP clients handle it themselves"
            return self.problems.reject(message, at: element.place)
        }
        return Int(status)
    }

    private func mediaType(_ element: Element) -> String? {
        element.parsed(as: "a media type", self.problems, by: MediaType.init(parsing:))?.text
    }
}

/// The media type of a denial, for the `Content-Type` field.
struct MediaType: Sendable, Equatable {
    /// The reason why a string is not a media type.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String {
            "expected one such as 'application/json' or 'text/xml; charset=utf-8'"
        }
    }

    private static let maximumLength = 128

    let text: String

    init(parsing text: String) throws(Failure) {
        let shape =
            /[A-Za-z0-9!#$&^_.+\-]+\/[A-Za-z0-9!#$&^_.+\-]+(?:; ?[a-z]+="?[A-Za-z0-9._:\-]+"?)*/
        guard text.utf8.count <= Self.maximumLength, text.wholeMatch(of: shape) != nil else {
            throw .shape
        }
        self.text = text
    }
}
