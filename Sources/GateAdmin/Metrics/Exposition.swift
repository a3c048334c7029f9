/// The text-based exposition format of Prometheus, version 0.0.4.
///
/// See https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md.
enum Exposition {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the metrics in the given order, each with its help and type; metrics without samples are omitted.
    static func text(_ families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty {
            text += "# HELP \(family.name) \(self.escaped(family.help, quotes: false))\n"
            text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
            for sample in family.samples { text += self.lines(of: sample, family.name) }
        }
        return text
    }

    private static func lines(of sample: MetricFamily.Sample, _ name: String) -> String {
        switch sample.value {
        case .count(let count): return self.line(name, sample.labels, "\(count)")
        case .number(let number): return self.line(name, sample.labels, self.text(of: number))
        case .histogram(let histogram):
            var lines = ""
            var total: UInt64 = 0
            let ends = histogram.bounds.map { self.text(of: $0) } + ["+Inf"]
            for (end, count) in zip(ends, histogram.counts) {
                total += count
                let labels = sample.labels + [MetricFamily.Label("le", end)]
                lines += self.line("\(name)_bucket", labels, "\(total)")
            }
            lines += self.line("\(name)_sum", sample.labels, self.text(of: histogram.sum))
            return lines + self.line("\(name)_count", sample.labels, "\(total)")
        }
    }

    private static func line(
        _ name: String,
        _ labels: [MetricFamily.Label],
        _ value: String
    ) -> String {
        guard !labels.isEmpty else { return "\(name) \(value)\n" }
        let pairs = labels.map { "\($0.name)=\"\(self.escaped($0.value, quotes: true))\"" }
        return "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        // Whole numbers, such as Unix times, are written without an exponent.
        return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let isPlain = text.utf8.allSatisfy { $0 != 0x5C && $0 != 0x0A && $0 != 0x22 }
        guard !isPlain else { return text }
        var escaped = ""
        // The loop uses Unicode scalars, because a carriage return followed by a line feed is a single `Character`.
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
