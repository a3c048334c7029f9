/// All samples of one metric, as Prometheus knows it.
struct MetricFamily: Sendable, Equatable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// One line: a value and the labels that tell it from others.
    struct Sample: Sendable, Equatable {
        /// The end of the sample's name behind that of the family, such as `_bucket`.
        var suffix = ""
        var labels: [Label] = []
        var value: Value
    }

    struct Label: Sendable, Equatable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    enum Value: Sendable, Equatable, CustomStringConvertible {
        case count(UInt64)
        case number(Double)

        /// As Prometheus reads it.
        var description: String {
            switch self {
            case .count(let count): "\(count)"
            case .number(let number) where number.isNaN: "NaN"
            case .number(let number) where number.isInfinite: number < 0 ? "-Inf" : "+Inf"
            case .number(let number):
                // Whole numbers, such as times, without an exponent.
                Int64(exactly: number).map { "\($0)" } ?? "\(number)"
            }
        }
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

    /// The same with one value more.
    func with(_ value: Value, _ labels: Label...) -> MetricFamily {
        var family = self
        family.add(value, labels)
        return family
    }

    mutating func add(_ value: Value, _ labels: [Label] = []) {
        self.samples.append(Sample(labels: labels, value: value))
    }

    /// Adds a histogram.
    ///
    /// - Parameters:
    ///   - bounds: Upper ends of the buckets, in ascending order and in seconds.
    ///   - counts: How many fell into each bucket alone, the last beyond all of them.
    ///   - sum: All together, in seconds.
    ///   - labels: What tells it from other histograms of the family.
    mutating func addHistogram(
        bounds: [Double],
        counts: [UInt64],
        sum: Double,
        labels: [Label] = []
    ) {
        var total: UInt64 = 0
        let ends = bounds.map { "\(Value.number($0))" } + ["+Inf"]
        for (end, count) in zip(ends, counts) {
            total += count
            self.samples.append(
                Sample(
                    suffix: "_bucket",
                    labels: labels + [Label("le", end)],
                    value: .count(total)
                )
            )
        }
        self.samples.append(Sample(suffix: "_sum", labels: labels, value: .number(sum)))
        self.samples.append(Sample(suffix: "_count", labels: labels, value: .count(total)))
    }
}
