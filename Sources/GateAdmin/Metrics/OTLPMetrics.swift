internal import FoundationEssentials

/// The metrics as an `ExportMetricsServiceRequest` of OTLP 1 in JSON.
///
/// The names and labels are the same as in `/metrics`. 64-bit integers are strings, as the JSON
/// encoding of Protocol Buffers requires.
struct OTLPMetrics: Encodable {
    /// The value of `aggregationTemporality` for totals since the start of the process.
    private static let cumulative = 2

    struct Attribute: Encodable, Equatable {
        struct Value: Encodable, Equatable {
            let stringValue: String
        }

        let key: String
        let value: Value

        init(_ key: String, _ value: String) {
            self.key = key
            self.value = Value(stringValue: value)
        }
    }

    private struct ResourceMetrics: Encodable {
        let resource: Resource
        let scopeMetrics: [ScopeMetrics]
    }

    private struct Resource: Encodable {
        let attributes: [Attribute]
    }

    private struct ScopeMetrics: Encodable {
        let scope: Scope
        let metrics: [Metric]
    }

    private struct Scope: Encodable {
        let name = "versiongate"
        let version: String
    }

    private struct Metric: Encodable {
        let name: String
        let description: String
        let unit: String
        var sum: Sum?
        var gauge: Gauge?
        var histogram: Histogram?
    }

    private struct Sum: Encodable {
        let dataPoints: [NumberPoint]
        let aggregationTemporality = OTLPMetrics.cumulative
        let isMonotonic = true
    }

    private struct Gauge: Encodable {
        let dataPoints: [NumberPoint]
    }

    private struct Histogram: Encodable {
        let dataPoints: [HistogramPoint]
        let aggregationTemporality = OTLPMetrics.cumulative
    }

    private struct NumberPoint: Encodable {
        let attributes: [Attribute]
        /// The start of the process, in nanoseconds since 1970; `nil` for a gauge.
        let startTimeUnixNano: String?
        let timeUnixNano: String
        var asInt: String?
        var asDouble: Double?
    }

    private struct HistogramPoint: Encodable {
        let attributes: [Attribute]
        let startTimeUnixNano: String
        let timeUnixNano: String
        let count: String
        let sum: Double
        let bucketCounts: [String]
        let explicitBounds: [Double]

        /// Creates a point from a sample; returns `nil` if the sample is not a histogram.
        init?(_ sample: MetricFamily.Sample, _ times: Times) {
            guard case .histogram(let histogram) = sample.value else { return nil }
            self.attributes = sample.labels.map { Attribute($0.name, $0.value) }
            self.startTimeUnixNano = times.start
            self.timeUnixNano = times.now
            self.count = "\(histogram.counts.reduce(0, +))"
            self.sum = histogram.sum
            self.bucketCounts = histogram.counts.map(\.description)
            self.explicitBounds = histogram.bounds
        }
    }

    /// The start of the process and the time of the values, in nanoseconds since 1970.
    private struct Times {
        let start: String
        let now: String

        init(start: Double, now: Double) {
            // A Double is not precise enough for nanoseconds since 1970.
            self.start = "\(Int64(start * 1e3))000000"
            self.now = "\(Int64(now * 1e3))000000"
        }
    }

    private let resourceMetrics: [ResourceMetrics]

    /// Creates an export request.
    ///
    /// - Parameters:
    ///   - families: The metrics; metrics without samples are omitted.
    ///   - version: The version of the gate.
    ///   - resource: The attributes of this gate.
    ///   - start: The start of the process, in seconds since 1970.
    ///   - now: The time of the values, in seconds since 1970.
    init(
        _ families: [MetricFamily],
        version: String,
        resource: [Attribute],
        start: Double,
        now: Double
    ) {
        let times = Times(start: start, now: now)
        let metrics = families.filter { !$0.samples.isEmpty }.map { Self.metric($0, times) }
        self.resourceMetrics = [
            ResourceMetrics(
                resource: Resource(attributes: resource),
                scopeMetrics: [ScopeMetrics(scope: Scope(version: version), metrics: metrics)]
            )
        ]
    }

    private static func metric(_ family: MetricFamily, _ times: Times) -> Metric {
        var metric = Metric(
            name: family.name,
            description: family.help,
            unit: self.unit(of: family.name)
        )
        switch family.kind {
        case .counter:
            metric.sum = Sum(dataPoints: family.samples.map { self.point($0, times, isSum: true) })
        case .gauge:
            let points = family.samples.map { self.point($0, times, isSum: false) }
            // JSON cannot represent infinite numbers.
            metric.gauge = Gauge(dataPoints: points.filter { $0.asDouble?.isFinite ?? true })
        case .histogram:
            let points = family.samples.compactMap { HistogramPoint($0, times) }
            metric.histogram = Histogram(dataPoints: points)
        }
        return metric
    }

    /// Returns the UCUM code of the unit in a metric's name.
    private static func unit(of name: String) -> String {
        name.contains("_seconds") ? "s" : name.contains("_bytes") ? "By" : "1"
    }

    private static func point(
        _ sample: MetricFamily.Sample,
        _ times: Times,
        isSum: Bool
    ) -> NumberPoint {
        var point = NumberPoint(
            attributes: sample.labels.map { Attribute($0.name, $0.value) },
            startTimeUnixNano: isSum ? times.start : nil,
            timeUnixNano: times.now
        )
        switch sample.value {
        case .count(let count): point.asInt = "\(Int64(clamping: count))"
        case .number(let number): point.asDouble = number
        case .histogram: break
        }
        return point
    }
}
