extension BodyTemplate {
    /// The default media type of the content.
    var mediaType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .json: "application/json"
        }
    }

    /// Returns the content with the placeholders replaced.
    func filled(with values: [NoticePlaceholder: String]) -> [UInt8] {
        switch self {
        case .text(let template):
            return Array(template.filled(with: values).utf8)
        case .json(let value):
            var text = JSONText()
            value.append(to: &text, values)
            return text.bytes
        }
    }
}

extension BodyTemplate.Value {
    fileprivate func append(to text: inout JSONText, _ values: [NoticePlaceholder: String]) {
        switch self {
        case .null: text.append("null")
        case .boolean(let value): text.append(value ? "true" : "false")
        case .number(let digits): text.append(digits)
        case .text(let template):
            guard let place = template.onlyPlaceholder else {
                return text.append(quoted: template.filled(with: values))
            }
            guard let value = values[place] else { return text.append("null") }
            if place.isNumber { text.append(value) } else { text.append(quoted: value) }
        case .list(let items):
            text.append("[")
            for (index, item) in items.enumerated() {
                if index > 0 { text.append(",") }
                item.append(to: &text, values)
            }
            text.append("]")
        case .object(let members):
            text.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(",") }
                text.append(quoted: member.name)
                text.append(":")
                member.value.append(to: &text, values)
            }
            text.append("}")
        }
    }
}
