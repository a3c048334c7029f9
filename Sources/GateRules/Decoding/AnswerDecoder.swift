internal import GatePolicy

/// Reads `status`, `body`, `contentType` and `upgradeHeader`: how a denial is dressed.
struct AnswerDecoder {
    static let keys = ["status", "body", "contentType", "upgradeHeader"]
    private static let expectedStatus = "a status from 400 to 599, or 200"
    /// Statuses upon which clients, caches and proxies do something by themselves, or with which
    /// they expect fields that a denial does not have.
    private static let reservedStatuses: Set<UInt64> = [
        401, 407, 408, 411, 413, 416, 417, 421, 431,
    ]

    let problems: Problems

    func decode(_ fields: Fields) -> AnswerStyle {
        if fields["body"] == nil, let place = fields.place(of: "contentType") {
            self.problems.report("'contentType' needs 'body' beside it", at: place)
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
            self.problems.report("expected \(expected), found \(status)", at: element.place)
            return nil
        }
        guard !Self.reservedStatuses.contains(status) else {
            let message =
                "a denial cannot have the status \(status): HTTP clients act upon it by themselves"
            self.problems.report(message, at: element.place)
            return nil
        }
        return Int(status)
    }

    private func mediaType(_ element: Element) -> String? {
        element.parsed(as: "a media type", self.problems, by: MediaType.init(parsing:))?.text
    }
}

/// The kind of content that a denial has, as `Content-Type` says it.
struct MediaType: Sendable, Equatable {
    /// Why a text is not a media type.
    enum Failure: Error, CustomStringConvertible {
        case shape

        var description: String { "write one as 'application/json' or 'text/xml; charset=utf-8'" }
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
