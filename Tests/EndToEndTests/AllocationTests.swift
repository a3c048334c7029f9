import GateTestSupport
import Testing

/// Allocations per request: memory is allocated when a connection starts, and a request in steady state allocates
/// little.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct AllocationTests {
    private static let rounds = 20
    /// The number of allocations by timers from which their rate is computed.
    private static let idleCount = 400

    // A release build makes no allocation here, as `make bench` verifies; a debug build makes some.
    // Other allocations, such as those for the clock, can only add to a round's count. The limits
    // allow one or two allocations per request for such allocations, and for a long request that is
    // read in several parts.
    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: [("3.5.0", 200, 18), ("3.4.9", 426, 7)]
    )
    func `a request in steady state stays within its allocation limit`(
        _ version: String,
        _ status: Int,
        _ limit: Double
    ) async throws {
        let request = """
            GET /a HTTP/1.1\r
            Host: a\r
            X-App-Id: com.example.shop\r
            X-App-Platform: ios\r
            X-App-Version: \(version)\r
            \r\n
            """
        let best = try await self.allocations(atMost: limit, of: 200) { scene in
            try Self.asking(scene, for: status) { _ in request }
        }
        #expect(best <= limit)
    }

    /// Sends the requests with these numbers, one after the other.
    private typealias Client = (Range<Int>) throws -> Void

    private static func asking(
        _ scene: Scene,
        for status: Int,
        _ text: @escaping @Sendable (Int) -> String
    ) throws -> Client {
        let client = try scene.connect()
        return { numbers in
            for number in numbers {
                try client.send(text(number))
                try #require(try client.response().status == status)
            }
        }
    }

    /// Returns the average number of allocations per request or frame in a round: the lowest of several rounds, or that
    /// of the first round within the limit.
    ///
    /// The gate's timers also allocate. On a busy machine, on which a round takes seconds, their part is subtracted.
    private func allocations(
        atMost limit: Double,
        of count: Int,
        flags: [GateFlag] = [],
        backend script: @escaping ScriptedBackend.Script = { _ in [.answer(body: "ok")] },
        _ connect: (Scene) throws -> Client
    ) async throws -> Double {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(RulesText.shop, to: "rules.yaml")
        let counter = try AllocationCount(into: folder.file("allocations"))
        var best = Double.infinity
        var bestTime = Duration.zero
        try await Scene.play(
            in: folder,
            // Fetching the census is not part of a request, and the number of fetches would depend on a round's
            // duration.
            flags: flags + [.censusInterval(seconds: 3_600)],
            surroundings: counter.surroundings,
            backend: script
        ) { scene in
            let send = try connect(scene)
            var number = 0
            func round() throws {
                try send(number..<number + count)
                number += count
            }
            for _ in 0..<5 { try round() }
            for _ in 0..<Self.rounds where best > limit {
                let before = try counter.current()
                let time = try ContinuousClock().measure { try round() }
                let average = Double(try counter.current() - before) / Double(count)
                if average < best { (best, bestTime) = (average, time) }
            }
            if best > limit {
                best -= try Self.idleAllocations(counter) * (bestTime / .seconds(count))
            }
        }
        return best
    }

    /// Returns the number of allocations per second without requests.
    private static func idleAllocations(_ counter: AllocationCount) throws -> Double {
        let (before, begun) = (try counter.current(), ContinuousClock.now)
        let count = try Deadline.usual.poll("timers to allocate") {
            let count = try counter.current() - before
            return count >= Self.idleCount ? count : nil
        }
        return Double(count) / ((ContinuousClock.now - begun) / .seconds(1))
    }

    /// A request that is built to be expensive, and the limit for its allocations.
    struct DearRequest: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Double
        let status: Int
        /// Returns the text of the request with this number.
        let text: @Sendable (Int) -> String

        init(
            _ name: String,
            _ limit: Double,
            status: Int = 200,
            _ target: String = "/a",
            fields: @escaping @Sendable (Int) -> String
        ) {
            self.testDescription = name
            self.limit = limit
            self.status = status
            self.text = { number in
                "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields(number))\r\n"
            }
        }
    }

    private static func versions(_ number: Int) -> String {
        let versions = (0..<8).map {
            "1.0.0-" + String(repeating: "a.", count: 24) + "\(number + $0)"
        }
        return "X-App-Version: \(versions.joined(separator: ","))\r\n"
    }

    private static func unreadable(_ number: Int) -> String {
        let value = String(repeating: "é\(number)", count: 40)
        let names = [
            "App-Id", "App-Platform", "App-Version", "OS-Version", "App-Channel", "App-Build",
        ]
        return names.map { "X-\($0): \(value)\r\n" }.joined()
    }

    private static func list(_ name: String, _ bytes: Int) -> @Sendable (Int) -> String {
        { number in
            let list = (0..<bytes / 8).map { "\(number + 10).\($0 + 1000)" }.joined(separator: ",")
            return "\(name): \(list)\r\n"
        }
    }

    private static let dearRequests = [
        DearRequest("a version that was never seen", 20.5) { "X-App-Version: 4.2.0+\($0)\r\n" },
        DearRequest("a build in a version", 20.5) { "X-App-Version: 4.2.0 (\($0))\r\n" },
        DearRequest("a denied request", 11.5, status: 426) {
            "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: 3.2.0+\($0)\r\n"
        },
        DearRequest("languages that were never seen", 17.5) {
            "X-App-Version: 4.2.0\r\nAccept-Language: ja,en;q=0.\($0)\r\n"
        },
        DearRequest("eight versions", 18.5, fields: Self.versions),
        DearRequest("a list of versions", 18.5) { number in
            let list = (0..<250).map { "\(number).\($0)" }.joined(separator: ",")
            return "X-App-Version: \(list)\r\n"
        },
        DearRequest("28 KB of versions", 25, fields: Self.list("X-App-Version", 28_000)),
        DearRequest("28 KB of OS versions", 28, fields: Self.list("X-OS-Version", 28_000)),
        DearRequest("28 KB of platforms", 28, fields: Self.list("X-App-Platform", 28_000)),
        DearRequest("28 KB of languages", 23, fields: Self.list("Accept-Language", 28_000)),
        DearRequest("28 KB of a user agent", 23) {
            "User-Agent: Shop/\($0) \(String(repeating: "x/", count: 14_000))\r\n"
        },
        DearRequest("non-ASCII letters in six fields", 28.5, fields: Self.unreadable),
        DearRequest("100 fields", 117) { number in
            (0..<95).map { "X-Field-\($0): \(number)\(String(repeating: "v", count: 250))\r\n" }
                .joined()
        },
        // A debug build makes nine allocations per triplet, a release build none.
        DearRequest("an encoded path", 1_240, "/" + String(repeating: "%61", count: 300)) { _ in ""
        },
        DearRequest(
            "a double-encoded path",
            26.5,
            "/" + String(repeating: "%2561", count: 1_500)
        ) { _ in "" },
        DearRequest(
            "a path with all ambiguities",
            20.5,
            "/a//b/../c;d/%2e/%2f\\x%5c%3b%2523/" + String(repeating: "y", count: 20)
        ) { _ in "" },
        DearRequest(
            "a status request with 700 parameters",
            24.5,
            status: 400,
            "/.versiongate/status?" + String(repeating: "path=%2Fa&", count: 700)
        ) { _ in "" },
    ]

    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: dearRequests
    )
    func `an expensive request stays within its allocation limit`(
        _ request: DearRequest
    ) async throws {
        let best = try await self.allocations(atMost: request.limit, of: 20) { scene in
            try Self.asking(scene, for: request.status, request.text)
        }
        #expect(best <= request.limit)
    }

    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: [
            DearRequest("a version that was never seen", 20.5) { "X-App-Version: 4.2.0+\($0)\r\n" },
            DearRequest("a denied request", 11.5, status: 426) {
                "X-App-Id: com.example.shop\r\nX-App-Platform: ios\r\nX-App-Version: 3.2.0+\($0)\r\n"
            },
        ]
    )
    func `a logged request stays within its allocation limit`(
        _ request: DearRequest
    ) async throws {
        let best = try await self.allocations(
            atMost: request.limit,
            of: 20,
            flags: [.accessLog]
        ) { scene in
            try Self.asking(scene, for: request.status, request.text)
        }
        #expect(best <= request.limit)
    }

    /// Fields that an HTTP/2 client sends once and then refers to by their indexes (RFC 7541 section 6.1).
    struct IndexedFields: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Double
        let fields: [HTTP2Fields.Field]

        /// The representations that add the fields to the dynamic table, in this order.
        var literals: [UInt8] {
            self.fields.flatMap { [0x40] + HTTP2Fields.block([$0]).dropFirst() }
        }
        /// The indexes of the fields.
        ///
        /// The first field has the highest index.
        var indexes: [UInt8] { self.fields.indices.reversed().map { 0x80 | UInt8(62 + $0) } }
    }

    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: [
            IndexedFields(
                testDescription: "the identity fields of a client",
                limit: 38.5,
                fields: [
                    ("x-app-id", "com.example.shop"), ("x-app-platform", "ios"),
                    ("x-app-version", "4.2.0"), ("accept-language", "ja-JP,ja;q=0.9,en;q=0.8"),
                ]
            ),
            IndexedFields(
                testDescription: "a list of 3,900 bytes",
                limit: 38.5,
                fields: [("x-app-version", String(repeating: "1,2,3,", count: 650))]
            ),
        ]
    )
    func `a request with indexed fields stays within its allocation limit`(
        _ indexed: IndexedFields
    ) async throws {
        let best = try await self.allocations(atMost: indexed.limit, of: 20) { scene in
            let client = try scene.connectHTTP2()
            return { numbers in
                for number in numbers {
                    let fields = number == 0 ? indexed.literals : indexed.indexes
                    let stream = UInt32(2 * number + 1)
                    try client.send(.headers(stream, HTTP2Fields.request() + fields))
                    try #require(try client.response(stream).status == 200)
                }
            }
        }
        #expect(best <= indexed.limit)
    }

    /// A frame that starts no request, sent on an upload's stream, and the limit for its allocations.
    struct DearFrame: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let limit: Double
        let frame: HTTP2Frame

        init(_ name: String, _ limit: Double, _ frame: HTTP2Frame) {
            self.testDescription = name
            self.limit = limit
            self.frame = frame
        }
    }

    /// The count for a frame that arrives in a read of its own includes that read: about one more allocation.
    ///
    /// On a busy machine several frames share a read.
    private static let dearFrames = [
        DearFrame("PING", 3.5, HTTP2Frame(.ping, Array(repeating: 0, count: 8))),
        DearFrame("SETTINGS", 6, HTTP2Frame(.settings)),
        DearFrame("WINDOW_UPDATE", 6, HTTP2Frame(.windowUpdate, HTTP2Frame.big(1))),
        DearFrame("PRIORITY", 3.5, HTTP2Frame(.priority, stream: 1, [0, 0, 0, 0, 1])),
        DearFrame("DATA of one byte", 6.5, HTTP2Frame(.data, stream: 1, [0])),
        DearFrame(
            "a frame of an unknown type",
            3.5,
            HTTP2Frame(kind: 0x42, flags: 0, stream: 1, payload: Array(repeating: 0, count: 8))
        ),
    ]

    @Test(
        .enabled(if: AllocationCount.isPossible, "a sanitizer has its own allocator"),
        arguments: dearFrames
    )
    func `a frame that starts no request stays within its allocation limit`(
        _ dear: DearFrame
    ) async throws {
        let best = try await self.allocations(
            atMost: dear.limit,
            // Few enough to remain within the flood limits over all rounds.
            of: 30,
            backend: { _ in [.stall] }
        ) { scene in
            let client = try scene.connectHTTP2()
            try client.request(1, "POST", "/upload", endsStream: false)
            try scene.backend.waitForRequests(1)
            let last = HTTP2Frame(.ping, Array("answered".utf8))
            return { numbers in
                // Sent one by one, as an attacker would send them to cause the highest cost.
                for _ in numbers { try client.send(dear.frame) }
                try client.send(last)
                let answer = try client.frame { $0.isA(.ping) && $0.payload == last.payload }
                try #require(answer?.flags == HTTP2Frame.acknowledgement)
            }
        }
        #expect(best <= dear.limit)
    }
}
