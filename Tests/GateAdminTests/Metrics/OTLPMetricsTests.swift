import Foundation
import Testing

@testable import GateAdmin

struct OTLPMetricsTests {
    private typealias Label = MetricFamily.Label

    /// Returns the metrics of the request for some families, as JSON with sorted members.
    private static func metrics(_ families: [MetricFamily]) throws -> [String] {
        let metrics = OTLPMetrics(
            families,
            version: "1.2.3",
            resource: [.init("service.name", "versiongate")],
            start: 1_795_340_100.5,
            now: 1_795_340_125.042
        )
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(metrics))
        let root = try #require(object as? [String: [[String: Any]]])
        let resource = try #require(root["resourceMetrics"]?.first)
        let scopes = try #require(resource["scopeMetrics"] as? [[String: Any]])
        let metricObjects = try #require(scopes.first?["metrics"] as? [[String: Any]])
        return try metricObjects.map { metric in
            let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
            let data = try JSONSerialization.data(withJSONObject: metric, options: options)
            return String(decoding: data, as: UTF8.self)
        }
    }

    private static let times =
        #""startTimeUnixNano":"1795340100500000000","timeUnixNano":"1795340125042000000""#

    @Test func `a counter is a monotonic sum since the start`() throws {
        let family = MetricFamily("a_total", .counter, "A.")
            .with(.count(18_446_744_073_709_551_615), Label("rule", "ios"))
        #expect(
            try Self.metrics([family, MetricFamily("none", .gauge, "None.")]) == [
                #"{"description":"A.","name":"a_total","sum":{"aggregationTemporality":2,"dataPoints":"#
                    + #"[{"asInt":"9223372036854775807","attributes":[{"key":"rule","value":{"stringValue":"ios"}}],"#
                    + Self.times + #"}],"isMonotonic":true},"unit":"1"}"#
            ]
        )
    }

    @Test func `a gauge has its unit, and no value that JSON lacks`() throws {
        var family = MetricFamily("a_bytes", .gauge, "A.").with(.number(2.5))
        family.add(.number(.infinity), [Label("b", "c")])
        #expect(
            try Self.metrics([family]) == [
                #"{"description":"A.","gauge":{"dataPoints":[{"asDouble":2.5,"attributes":[],"#
                    + #""timeUnixNano":"1795340125042000000"}]},"name":"a_bytes","unit":"By"}"#
            ]
        )
    }

    @Test func `a histogram has the count of each bucket`() throws {
        let histogram = MetricFamily.Histogram(bounds: [0.5, 1], counts: [2, 0, 3], sum: 7.25)
        let family = MetricFamily("a_seconds", .histogram, "A.")
            .with(.histogram(histogram), Label("b", "x"))
            .with(.histogram(histogram), Label("b", "y"))
        func point(_ name: String) -> String {
            #"{"attributes":[{"key":"b","value":{"stringValue":"\#(name)"}}],"#
                + #""bucketCounts":["2","0","3"],"count":"5","explicitBounds":[0.5,1],"#
                + #"\#(Self.times.replacing(",\"time", with: ",\"sum\":7.25,\"time"))}"#
        }
        #expect(
            try Self.metrics([family]) == [
                #"{"description":"A.","histogram":{"aggregationTemporality":2,"dataPoints":["#
                    + point("x") + "," + point("y") + #"]},"name":"a_seconds","unit":"s"}"#
            ]
        )
    }
}
