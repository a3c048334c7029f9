/// All samples of one metric.
struct MetricFamily: Sendable, Equatable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    struct Sample: Sendable, Equatable {
        var labels: [Label] = []
        let value: Value
    }

    struct Label: Sendable, Hashable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    enum Value: Sendable, Equatable {
        case count(UInt64)
        case number(Double)
        case histogram(Histogram)
    }

    struct Histogram: Sendable, Equatable {
        /// The upper bounds of the buckets in seconds, in ascending order.
        let bounds: [Double]
        /// The count of each bucket, not cumulative; the last bucket has no upper bound.
        let counts: [UInt64]
        /// The sum of all values in seconds.
        let sum: Double
    }

    let name: String
    let help: String
    let kind: Kind
    private(set) var samples: [Sample] = []

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }

    /// Returns a copy of the family with an additional sample, unless its value is `nil`.
    func with(_ value: Value?, _ labels: Label...) -> MetricFamily {
        var family = self
        if let value { family.add(value, labels) }
        return family
    }

    /// Returns a copy of the family with additional counts.
    ///
    /// The counts are sorted by their labels, so that scrapes of the same values are identical.
    func with(_ counts: [[Label]: UInt64]) -> MetricFamily {
        var family = self
        let sorted = counts.sorted { left, right in
            left.key.map(\.value).lexicographicallyPrecedes(right.key.map(\.value))
        }
        for (labels, count) in sorted { family.add(.count(count), labels) }
        return family
    }

    mutating func add(_ value: Value, _ labels: [Label]) {
        self.samples.append(Sample(labels: labels, value: value))
    }
}

/// Metrics of the gate, whose names start with `versiongate_`.
extension MetricFamily {
    /// Creates a counter; `_total` is appended to its name.
    static func counter(_ name: String, _ help: String) -> MetricFamily {
        MetricFamily("versiongate_\(name)_total", .counter, help)
    }

    static func gauge(_ name: String, _ help: String) -> MetricFamily {
        MetricFamily("versiongate_\(name)", .gauge, help)
    }
}
