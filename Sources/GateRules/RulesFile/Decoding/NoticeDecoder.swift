internal import GatePolicy

/// Decodes a notice, which contains texts in one or more languages.
struct NoticeDecoder {
    static let keys = ["title", "message", "button"]

    let problems: Problems

    func decode(_ entry: Element.Entry) -> RulesDocument.Notice {
        do throws(InvalidText) {
            _ = try Name(parsing: entry.key)
        } catch {
            self.problems.report("'\(entry.key)' is not a notice name: \(error)", at: entry.place)
        }
        let name = Located(value: entry.key, place: entry.place)
        guard let entries = entry.value.entries(self.problems) else {
            return RulesDocument.Notice(name: name, languages: nil, texts: [:])
        }
        var texts: [LanguageTag: NoticeText] = [:]
        var places: [LanguageTag: Place] = [:]
        for entry in entries {
            guard
                let language = LanguageTag(entry.key)
                    ?? self.problems.reject(language: entry.key, at: entry.place)
            else { continue }
            if let first = places.updateValue(entry.place, forKey: language) {
                let message = "the language '\(language)' is already listed on line \(first.line)"
                self.problems.report(message, at: entry.place)
            }
            texts[language] = self.text(entry.value)
        }
        return RulesDocument.Notice(name: name, languages: Set(places.keys), texts: texts)
    }

    private func text(_ element: Element) -> NoticeText? {
        guard let fields = Fields(element, Self.keys, self.problems) else { return nil }
        let title = fields.required("title", of: "a notice").flatMap { self.template($0) }
        let message = fields.required("message", of: "a notice").flatMap { self.template($0) }
        let button = fields["button"].flatMap { self.template($0) }
        guard let title, let message else { return nil }
        return NoticeText(title: title, message: message, button: button)
    }

    private func template(_ element: Element) -> NoticeTemplate? {
        guard let text = element.text("a string", self.problems) else { return nil }
        return TemplateDecoder(use: .notice, problems: self.problems)
            .decode(text, at: element.place)
    }
}
