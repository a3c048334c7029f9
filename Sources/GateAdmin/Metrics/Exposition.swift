/// The text-based exposition format of Prometheus, version 0.0.4.
///
/// https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
enum Exposition {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the families in the given order, each with its help and type; families without samples are omitted.
    static func text(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(self.escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples { self.append(sample, of: family, to: &text) }
        }
        return text
    }

    private static func append(
        _ sample: MetricFamily.Sample,
        of family: MetricFamily,
        to text: inout String
    ) {
        text += family.name
        text += sample.suffix
        if !sample.labels.isEmpty {
            text += "{"
            for (index, label) in sample.labels.enumerated() {
                if index > 0 { text += "," }
                text += label.name
                text += "=\""
                text += self.escaped(label.value, quotes: true)
                text += "\""
            }
            text += "}"
        }
        text += " "
        text += sample.value.description
        text += "\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != 0x5C && $0 != 0x0A && $0 != 0x22 }
        guard !isPlain else { return text }
        var escaped = ""
        // By Unicode scalar: a carriage return followed by a line feed is a single `Character`.
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
