internal import GatePolicy

/// Decodes `body`: the content of a denial, in a format that released apps understand.
struct BodyDecoder {
    let problems: Problems

    func decode(_ element: Element) -> BodyTemplate? {
        switch element.content {
        case .text(let text):
            return self.template(text, at: element.place).map { .text($0) }
        case .list, .mapping:
            return self.value(element).map { .json($0) }
        case .nothing:
            return self.refuse(element, hint: "; for an empty body, write \"\"")
        case .number(let text), .boolean(let text), .date(let text):
            return self.refuse(element, hint: "; quote it: \"\(text)\"")
        }
    }

    private func refuse(_ element: Element, hint: String) -> BodyTemplate? {
        let expected = "a string, or a mapping or list for JSON"
        return element.reject(expected: expected, self.problems, hint: hint)
    }

    private func value(_ element: Element) -> BodyTemplate.Value? {
        switch element.content {
        case .text(let text), .date(let text):
            return self.template(text, at: element.place).map { .text($0) }
        case .number(let text):
            return self.number(text, at: element.place)
        case .boolean(let text):
            // YAML 1.1 and 1.2 agree only on the Booleans `true` and `false`.
            let hint = "; quote it: \"\(text)\""
            return element.truth(self.problems, hint: hint).map { .boolean($0) }
        case .nothing:
            return .null
        case .list(let items):
            return .list(items.compactMap { self.value($0) })
        case .mapping(let entries):
            return .object(
                entries.compactMap { entry in
                    self.value(entry.value).map { BodyTemplate.Member(name: entry.key, value: $0) }
                }
            )
        }
    }

    private func number(_ text: String, at place: Place) -> BodyTemplate.Value? {
        let isJSON = text.wholeMatch(of: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?/)
        guard isJSON != nil else {
            let message = "\(text) is not a valid JSON number; quote it: \"\(text)\""
            return self.problems.reject(message, at: place)
        }
        return .number(text)
    }

    private func template(_ text: String, at place: Place) -> NoticeTemplate? {
        TemplateDecoder(use: .body, problems: self.problems).decode(text, at: place)
    }
}
