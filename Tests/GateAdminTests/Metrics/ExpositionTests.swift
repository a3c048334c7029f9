import Testing

@testable import GateAdmin

struct ExpositionTests {
    private typealias Label = MetricFamily.Label

    @Test func `each family has its help and type once, before all samples`() {
        var requests = MetricFamily("gate_requests_total", .counter, "Requests.")
        requests.add(.count(1), [Label("app", "a"), Label("rule", "none")])
        requests.add(.count(18_446_744_073_709_551_615), [Label("app", "b"), Label("rule", "")])
        let empty = MetricFamily("gate_nothing", .gauge, "Nothing.")
        let age = MetricFamily("gate_age_seconds", .gauge, "Age.").with(.number(1.5))
        #expect(
            Exposition.text([requests, empty, age]) == """
                # HELP gate_requests_total Requests.
                # TYPE gate_requests_total counter
                gate_requests_total{app="a",rule="none"} 1
                gate_requests_total{app="b",rule=""} 18446744073709551615
                # HELP gate_age_seconds Age.
                # TYPE gate_age_seconds gauge
                gate_age_seconds 1.5

                """
        )
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\"b", "a\\\"b"), ("a\\b", "a\\\\b"), ("a\nb", "a\\nb"),
        ("a\r\nb", "a\r\\nb"), ("\\n", "\\\\n"), ("日本語{}=,", "日本語{}=,"), ("", ""),
    ])
    func `a label value is escaped`(value: String, written: String) {
        let family = MetricFamily("a", .gauge, "A.").with(.count(1), Label("l", value))
        #expect(Exposition.text([family]).hasSuffix("\na{l=\"\(written)\"} 1\n"))
    }

    @Test func `quotation marks in a help text are not escaped`() {
        let family = MetricFamily("a", .gauge, "a \"b\" \\ c\nd").with(.count(1))
        let text = Exposition.text([family])
        #expect(text.hasPrefix("# HELP a a \"b\" \\\\ c\\nd\n# TYPE a gauge\n"))
    }

    @Test(
        arguments: [
            (0, "0"), (-1, "-1"), (1_763_863_804, "1763863804"), (0.00001, "1e-05"), (2.5, "2.5"),
            (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (1e300, "1e+300"),
        ] as [(Double, String)]
    )
    func `a number is formatted for Prometheus`(number: Double, written: String) {
        let family = MetricFamily("a", .gauge, "A.").with(.number(number))
        #expect(Exposition.text([family]).hasSuffix("\na \(written)\n"))
    }

    @Test func `the buckets of a histogram are cumulative`() {
        let histogram = MetricFamily.Histogram(
            bounds: [0.00001, 0.5, 1],
            counts: [2, 0, 3, 4],
            sum: 7.25
        )
        let family = MetricFamily("a_seconds", .histogram, "A.")
            .with(.histogram(histogram), Label("b", "c"))
        #expect(
            Exposition.text([family]) == """
                # HELP a_seconds A.
                # TYPE a_seconds histogram
                a_seconds_bucket{b="c",le="1e-05"} 2
                a_seconds_bucket{b="c",le="0.5"} 2
                a_seconds_bucket{b="c",le="1"} 5
                a_seconds_bucket{b="c",le="+Inf"} 9
                a_seconds_sum{b="c"} 7.25
                a_seconds_count{b="c"} 9

                """
        )
    }
}
