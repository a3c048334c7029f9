/// All samples of one metric.
struct MetricFamily: Sendable, Equatable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// A line of the exposition: a value and its labels.
    struct Sample: Sendable, Equatable {
        /// The suffix that is appended to the name of the family, such as `_bucket`.
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

        /// The value in the exposition format.
        var description: String {
            switch self {
            case .count(let count): "\(count)"
            case .number(let number) where number.isNaN: "NaN"
            case .number(let number) where number.isInfinite: number < 0 ? "-Inf" : "+Inf"
            case .number(let number):
                // Whole numbers, such as Unix times, are written without an exponent.
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

    /// Returns a copy of the family with an additional sample.
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
    ///   - bounds: The upper bounds of the buckets in seconds, in ascending order.
    ///   - counts: The count of each bucket, not cumulative; the last bucket has no upper bound.
    ///   - sum: The sum of all values in seconds.
    ///   - labels: The labels of the histogram.
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
