import GateTestSupport
import Testing

/// The metrics of the real executable, as Prometheus scrapes them.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct MetricsTests {
    /// A floor that is enforced, and one in observe mode.
    private static let rules = """
        unidentified: { missing: reject, unreadable: allow, storeUrl: "https://example.com" }
        rules:
          - id: ios
            match: { app: com.example.shop, platform: ios }
            minimum: "3.5.0"
            recommended: "3.6.0"
            storeUrl: https://apps.apple.com/app/id1234567890
          - id: soon
            match: { platform: ios }
            minimum: "3.6.0"
            mode: observe
            storeUrl: https://apps.apple.com/app/id1234567890

        """

    private static func client(
        app: String = "com.example.shop",
        platform: String = "ios",
        version: String?
    ) -> String {
        let version = version.map { "X-App-Version: \($0)\r\n" } ?? ""
        return "X-App-Id: \(app)\r\nX-App-Platform: \(platform)\r\n\(version)"
    }

    private func play(
        flags: [GateFlag] = [],
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await Scene.play(
            rules: Self.rules,
            flags: [.adminListen(), .threads(2)] + flags
        ) { scene in try await body(scene) }
    }

    private static func labels(
        _ app: String,
        _ platform: String,
        _ decision: String,
        _ rule: String,
        _ mode: String
    ) -> String {
        "{app=\"\(app)\",platform=\"\(platform)\",decision=\"\(decision)\",rule=\"\(rule)\","
            + "mode=\"\(mode)\"}"
    }

    @Test func `known requests on two event loops give exactly the expected counters`() async throws
    {
        try await self.play { scene in
            let clients = try (0..<4).map { _ in try scene.connect() }
            for client in clients {
                for (fields, status) in [
                    (Self.client(version: "3.4.0"), 426), (Self.client(version: "3.5.0"), 200),
                    (Self.client(version: "3.6.0"), 200), (Self.client(version: "3.6.1"), 200),
                    (Self.client(version: nil), 426), (Self.client(version: "?"), 200),
                    (Self.client(platform: "android", version: "1.0"), 200),
                ] {
                    try client.send(Request.text(fields: fields))
                    #expect(try client.response().status == status)
                }
            }
            let page = try scene.metrics()
            let shop = "com.example.shop"
            #expect(
                page.samples(of: "versiongate_requests_total") == [
                    Self.labels(shop, "ios", "require", "ios", "enforce"): 4,
                    Self.labels(shop, "ios", "recommend", "ios", "observe"): 4,
                    Self.labels(shop, "ios", "require", "unidentified", "enforce"): 4,
                    Self.labels(shop, "ios", "allow", "none", "enforce"): 12,
                    Self.labels(shop, "other", "allow", "none", "enforce"): 4,
                ]
            )
            #expect(
                page.samples(of: "versiongate_unidentified_requests_total") == [
                    "{reason=\"missing\",part=\"version\"}": 4,
                    "{reason=\"unreadable\",part=\"version\"}": 4,
                ]
            )
            // 3.4.0 and 3.5.0, and the client that the policy would deny because it sends no version.
            let observed = page.samples(of: "versiongate_observed_denials_total")
            #expect(observed["{rule=\"soon\"}"] == 12)
            #expect(page["versiongate_client_connections"] == 4)
            #expect(page["versiongate_client_connections_accepted_total"] == 4)
            #expect(page["versiongate_pending_requests"] == 0)
            let overhead = "versiongate_request_overhead_seconds_count"
            #expect(page["\(overhead){outcome=\"denied\"}"] == 8)
            #expect(page["\(overhead){outcome=\"forwarded\"}"] == 20)
            #expect(page["versiongate_backend_response_seconds_count"] == 20)
            let buckets = page.samples(of: "versiongate_backend_response_seconds_bucket")
            #expect(buckets["{le=\"+Inf\"}"] == 20)
            #expect(try #require(page["versiongate_backend_response_seconds_sum"]) > 0)
            let backend = "backend=\"http://127.0.0.1:\(scene.backend.port)\""
            #expect(page["versiongate_backend_addresses{\(backend),state=\"serving\"}"] == 1)
            #expect(page["versiongate_backend_addresses{\(backend),state=\"left_out\"}"] == 0)
            let idle = page["versiongate_backend_connections{\(backend),state=\"idle\"}"]
            #expect(try #require(idle) > 0)
            #expect(Array(page.samples(of: "versiongate_build_info").values) == [1])
            #expect(try #require(page["process_resident_memory_bytes"]) > 1_000_000)
            #expect(try #require(page["process_open_fds"]) > 10)
            #expect(try #require(page["process_start_time_seconds"]) > 1_700_000_000)
            #expect(try #require(page["process_cpu_seconds_total"]) > 0)
        }
    }

    @Test func `made-up identities add no series`() async throws {
        try await self.play { scene in
            let client = try scene.connect()
            func ask(_ number: Int) throws {
                let fields = Self.client(
                    app: "app\(number)",
                    platform: "platform\(number)",
                    version: "\(number)"
                )
                try client.send(Request.text("GET", "/\(number)", fields: fields))
                #expect(try client.response().status == 200)
            }
            try ask(0)
            let before = try scene.metrics()
            for number in 1...200 { try ask(number) }
            let after = try scene.metrics()
            #expect(after.samples.keys.sorted() == before.samples.keys.sorted())
            let other = Self.labels("other", "other", "allow", "none", "enforce")
            #expect(after["versiongate_requests_total" + other] == 201)
        }
    }

    @Test func `a failed reload is visible, and no counter decreases`() async throws {
        try await self.play { scene in
            try #require(
                try scene.ask(Request.text(fields: Self.client(version: "3.4.0"))).status == 426
            )
            let first = try scene.metrics()
            #expect(first["versiongate_config_last_reload_successful"] == 1)
            let revisions = first.samples(of: "versiongate_rules_info")
            #expect(revisions.count == 1)
            try scene.folder.replace("rules.yaml", with: RulesText.broken(line: 3))
            let reload = Request.text("POST", "/-/reload", host: "localhost")
            #expect(try scene.askAdmin(reload).status == 409)
            let second = try scene.metrics()
            #expect(second["versiongate_config_last_reload_successful"] == 0)
            let failures = second["versiongate_config_reloads_total{result=\"failure\"}"]
            #expect(try #require(failures) > 0)
            #expect(second.samples(of: "versiongate_rules_info") == revisions)
            let others = Self.rules.replacing("id: ios", with: "id: iphone")
            try scene.folder.replace("rules.yaml", with: others)
            #expect(try scene.askAdmin(reload).status == 200)
            try #require(
                try scene.ask(Request.text(fields: Self.client(version: "3.4.0"))).status == 426
            )
            let third = try scene.metrics()
            #expect(third["versiongate_config_last_reload_successful"] == 1)
            #expect(third.samples(of: "versiongate_rules_info") != revisions)
            for rule in ["ios", "iphone"] {
                let labels = Self.labels("com.example.shop", "ios", "require", rule, "enforce")
                #expect(third["versiongate_requests_total" + labels] == 1, "\(rule)")
            }
            let time = "versiongate_config_last_reload_success_timestamp_seconds"
            #expect(try #require(third[time]) >= #require(first[time]))
        }
    }

    @Test func `totals only grow when scrapes and requests run at the same time`() async throws {
        try await self.play { scene in
            let client = try scene.connect()
            var last = 0.0
            for round in 0..<20 {
                let fields = Self.client(version: round.isMultiple(of: 2) ? "3.4" : "4")
                try client.send(String(repeating: Request.text(fields: fields), count: 50))
                let page = try scene.metrics()
                let sum = page.samples(of: "versiongate_requests_total").values.reduce(0, +)
                #expect(sum >= last)
                #expect(sum <= Double(50 * (round + 1)))
                last = sum
                for _ in 0..<50 { _ = try client.response() }
            }
            let sum = try scene.metrics().samples(of: "versiongate_requests_total")
            #expect(sum.values.reduce(0, +) == 1000)
        }
    }

    @Test func `a failing backend is counted, and left out while another one serves`()
        async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let backend = try ScriptedBackend(script: { _ in [.echo] })
        try await Scene.play(
            in: folder,
            flags: [.adminListen()],
            backends: [backend],
            upstream: "http://127.0.0.1:1,http://127.0.0.1:\(backend.port)"
        ) { scene in
            for _ in 0..<2 {
                let answer = try scene.ask(Request.text(fields: Self.client(version: "4")))
                #expect(answer.status == 200)
            }
            let page = try scene.metrics()
            let dead = "backend=\"http://127.0.0.1:1\""
            #expect(page["versiongate_backend_addresses{\(dead),state=\"left_out\"}"] == 1)
            #expect(page["versiongate_backend_addresses{\(dead),state=\"serving\"}"] == 0)
            let failures = page["versiongate_backend_failures_total{\(dead),kind=\"connection\"}"]
            #expect(try #require(failures) >= 1)
            let alive = "backend=\"http://127.0.0.1:\(backend.port)\""
            #expect(page["versiongate_backend_addresses{\(alive),state=\"serving\"}"] == 1)
        }
    }

    @Test func `latency is not measured if it is switched off`() async throws {
        try await self.play(flags: [.latencyMetrics(false)]) { scene in
            #expect(try scene.ask(Request.text(fields: Self.client(version: "4"))).status == 200)
            let page = try scene.metrics()
            #expect(page["versiongate_backend_response_seconds_count"] == 0)
            #expect(page.samples(of: "versiongate_requests_total").values.reduce(0, +) == 1)
        }
    }

    @Test func `the client port serves none of the admin paths`() async throws {
        try await self.play { scene in
            for path in ["/metrics", "/-/healthy", "/-/ready", "/-/reload"] {
                let fields = Self.client(version: "4")
                let answer = try scene.ask(Request.text("GET", path, fields: fields))
                #expect(answer.status == 200)
            }
            // The order is not defined, because each request had a connection of its own.
            let targets = scene.backend.record.requests.map(\.target)
            #expect(targets.sorted() == ["/-/healthy", "/-/ready", "/-/reload", "/metrics"])
        }
    }
}
