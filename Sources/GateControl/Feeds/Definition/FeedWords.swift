internal import GatePolicy

/// Words that a source gives, as a notice.
struct FeedWords {
    /// The title, and the text below it.
    var title: String?
    var message: String?
    var button: String?

    /// The notice in one language; `nil` if the source gives no words.
    ///
    /// An app shows both: where there is only one of them, it stands for the other.
    func notice(in language: LanguageTag) -> JSONValue? {
        guard let title = self.title ?? self.message, let message = self.message ?? self.title
        else { return nil }
        var members: [JSONValue.Member] = [
            .init("title", .text(Self.escaped(title))),
            .init("message", .text(Self.escaped(message))),
        ]
        if let button = self.button { members.append(.init("button", .text(Self.escaped(button)))) }
        return .object([.init("\(language)", .object(members))])
    }

    /// The text as it is if its braces are placeholders, or else with braces that are braces.
    private static func escaped(_ text: String) -> String {
        if (try? NoticeTemplate(parsing: text, for: .notice)) != nil { return text }
        return text.doubling("{").doubling("}")
    }
}

extension String {
    fileprivate func doubling(_ mark: String) -> String {
        self.split(separator: mark, omittingEmptySubsequences: false)
            .joined(separator: mark + mark)
    }
}
