import Foundation
@testable import GateControl
import GatePolicy
import GateProxy
@testable import GateRecords
import NIOCore
import Testing

@testable import GateAdmin

struct GateMetricsTests {
    private static func metrics(_ statistics: GateStatistics = GateStatistics()) -> GateMetrics {
        var census = Census.Status(isKept: true)
        census.store = FleetStore.Status()
        return GateMetrics(
            gate: statistics,
            reload: .notLoaded,
            reloads: ReloadCounts(),
            feeds: [],
            census: census,
            breaker: Breaker.Status(watched: [], trips: [], count: 0),
            arePublished: true,
            droppedLogLines: 0,
            release: GateView.Release(version: "1.2.3", commit: "abc"),
            process: ProcessFigures()
        )
    }

    @Test func `terms with the same labels are one sample`() throws {
        var statistics = GateStatistics()
        statistics.requests = [
            RequestTerms(kind: .allow, gap: .missing(.version)): 1,
            RequestTerms(kind: .allow, gap: .unreadable(.osVersion)): 2,
            RequestTerms(kind: .allow, observed: ["a", "unidentified"]): 4,
            RequestTerms(app: "shop", kind: .require, rule: "b", observed: ["a"]): 8,
            RequestTerms(kind: .allow, rule: "b", observed: ["a"], isPassed: true): 16,
        ]
        let text = Exposition.text(Self.metrics(statistics).families)
        for line in [
            "requests_total{app=\"other\",platform=\"other\",decision=\"allow\",rule=\"none\","
                + "mode=\"enforce\"} 3",
            "requests_total{app=\"other\",platform=\"other\",decision=\"allow\",rule=\"none\","
                + "mode=\"observe\"} 4",
            "requests_total{app=\"shop\",platform=\"other\",decision=\"require\",rule=\"b\","
                + "mode=\"enforce\"} 8",
            "requests_total{app=\"other\",platform=\"other\",decision=\"passed\",rule=\"b\","
                + "mode=\"enforce\"} 16",
            "observed_denials_total{rule=\"a\"} 28",
            "observed_denials_total{rule=\"unidentified\"} 4",
            "unidentified_requests_total{reason=\"missing\",part=\"version\"} 1",
            "unidentified_requests_total{reason=\"unreadable\",part=\"os_version\"} 2",
        ] {
            #expect(text.contains("\nversiongate_\(line)\n"), "\(line)")
        }
        let samples = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.prefix { $0 != " " } }
        #expect(Set(samples).count == samples.count)
    }

    @Test func `durations are in seconds`() {
        var statistics = GateStatistics()
        statistics.latency.denied.add(.microseconds(20))
        statistics.latency.denied.add(.milliseconds(1))
        let text = Exposition.text(Self.metrics(statistics).families)
        let name = "versiongate_request_overhead_seconds"
        for line in [
            "_bucket{outcome=\"denied\",le=\"1e-05\"} 0",
            "_bucket{outcome=\"denied\",le=\"2.5e-05\"} 1",
            "_bucket{outcome=\"denied\",le=\"0.001\"} 2",
            "_bucket{outcome=\"denied\",le=\"+Inf\"} 2", "_sum{outcome=\"denied\"} 0.00102",
            "_count{outcome=\"denied\"} 2", "_count{outcome=\"forwarded\"} 0",
        ] {
            #expect(text.contains("\n\(name)\(line)\n"), "\(line)")
        }
    }

    /// The documentation and the alerts refer only to existing metrics.
    @Test func `every metric is documented, and every documented metric exists`() throws {
        let project = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: project.appending(path: "docs/metrics.md"),
            encoding: .utf8
        )
        let families = Self.metrics().families
        let rows = page.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 2, cells[0].hasPrefix("`"), cells[0].contains("_") else {
                return nil
            }
            return "\(cells[0]) \(cells[1])"
        }
        #expect(rows.sorted() == families.map { "`\($0.name)` \($0.kind.rawValue)" }.sorted())
        let alerts = try String(
            contentsOf: project.appending(path: "deploy/prometheus/alerts.yaml"),
            encoding: .utf8
        )
        let names = families.flatMap { [$0.name, $0.name + "_count", $0.name + "_bucket"] }
        for text in [page, alerts] {
            for name in text.matches(of: /\bversiongate_[a-z_]+/).map({ String($0.output) }) {
                #expect(names.contains(name), "\(name)")
            }
        }
    }

    @Test func `metric names follow the conventions`() {
        for family in Self.metrics().families {
            #expect(family.name.wholeMatch(of: /(versiongate|process)_[a-z0-9_]*[a-z0-9]/) != nil)
            #expect(family.name.hasSuffix("_total") == (family.kind == .counter), "\(family.name)")
            #expect(family.help.hasSuffix("."), "\(family.name)")
        }
    }
}
