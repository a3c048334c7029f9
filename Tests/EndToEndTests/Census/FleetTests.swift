import Foundation
import GateTestSupport
import Testing

/// Three gates, and a real Redis that merges the devices that they see.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .needs("redis-server", "redis-cli")
)
struct FleetTests {
    private static let password = "a-secret-of-this-test"
    private static let rules = """
        rules:
          - id: ios
            match: { platform: ios }
            minimum: "1.0"
            storeUrl: https://apps.apple.com/app/id1234567890
        """

    /// A Redis that requires a password, and the files that gates need to connect to it.
    private struct Store {
        let folder: TemporaryFolder
        let server: RedisServer
        /// The TLS flags of the gates; empty without TLS.
        private let tls: [GateFlag]

        enum Transport {
            case plain
            /// TLS, with client certificates.
            case tls
        }

        init(_ transport: Transport = .plain) throws {
            let folder = try TemporaryFolder()
            self.folder = folder
            try folder.writeInPlace("\(FleetTests.password)\n", to: "password")
            try folder.writeInPlace("000102030405060708090a0b0c0d0e0f\n", to: "key")
            switch transport {
            case .plain:
                self.tls = []
                self.server = try RedisServer(in: folder, password: FleetTests.password)
            case .tls:
                let authority = try TestAuthority(in: folder)
                let (own, gate) = (try authority.issue("redis"), try authority.issue("gate"))
                self.tls = [
                    .censusStoreTLS(
                        authority: authority.certificate,
                        certificate: gate.certificate,
                        key: gate.key
                    )
                ]
                self.server = try RedisServer(
                    in: folder,
                    password: FleetTests.password,
                    tls: RedisServer.TLS(
                        certificate: own.certificate,
                        key: own.key,
                        clientAuthority: authority.certificate
                    )
                )
            }
        }

        func end() {
            self.server.end()
            self.folder.remove()
        }

        func flags(through port: UInt16? = nil, state: String) -> [GateFlag] {
            let url =
                self.tls.isEmpty
                ? "redis://127.0.0.1:\(port ?? self.server.port)"
                : "rediss://localhost:\(self.server.securePort)"
            return [
                .stateDir(path: state), .censusInterval(seconds: 0.2), .logLevel("debug"),
                .adminListen(),
                .censusStore(
                    url: url,
                    passwordFile: self.folder.path(of: "password"),
                    keyFile: self.folder.path(of: "key")
                ),
            ] + self.tls
        }

        func ask(_ arguments: String...) throws -> String { try self.server.ask(arguments) }
    }

    private static func play(
        _ store: Store,
        through port: UInt16? = nil,
        _ body: (Scene) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let flags = store.flags(through: port, state: folder.path(of: "state"))
        try await Scene.play(in: folder, flags: flags, body)
    }

    /// Starts a gate that can be killed.
    private static func victim(_ store: Store, _ other: Scene, _ folder: TemporaryFolder) throws
        -> Scene
    {
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let gate = try GateProcess(
            upstreamPort: other.backend.port,
            rules: folder.file("rules.yaml"),
            flags: store.flags(state: folder.path(of: "state"))
        )
        return Scene(gate: gate, backend: other.backend, folder: folder)
    }

    /// Returns one request of each device, over ten versions.
    private static func crowd(_ devices: Range<Int>) -> [CensusVisitor] {
        devices.map { CensusVisitor(version: "2.\($0 % 10)", device: "device-\($0)") }
    }

    @Test func `the fleet counts each device once, also after a killed and a disconnected gate`()
        async throws
    {
        let store = try Store()
        defer { store.end() }
        let door = try TCPRelay(to: store.server.port)
        try await Self.play(store) { first in
            try await Self.play(store, through: door.port) { distant in
                let folder = try TemporaryFolder()
                defer { folder.remove() }
                let victim = try Self.victim(store, first, folder)
                defer { victim.gate.end() }
                try victim.share(Self.crowd(0..<2_000))
                try first.share(Self.crowd(1_000..<3_000))
                try distant.share(Self.crowd(2_000..<4_000))
                #expect(try first.fleetError(devices: 0..<4_000) < 0.01)
                victim.gate.send(signal: SIGKILL)
                #expect(try victim.gate.waitForExit() == .signal(SIGKILL))

                let seen = distant.gate.logLines.count
                door.close()
                // The first request makes the gate notice that the store is gone. No request waits
                // for the store.
                let slowest = try distant.slowest(of: Self.crowd(4_000..<5_000))
                #expect(slowest < .seconds(1), "\(slowest)")
                try distant.gate.logLine("the store to be unavailable", skipping: seen) {
                    $0.message == "the census store is unavailable"
                }
                #expect(try distant.metrics()["versiongate_census_store_up"] == 0)
                let local = try distant.censusOfAll()
                #expect(local.number("fleetDevices") == nil)
                #expect(abs((local.number("devices") ?? 0) - 3_000) < 75)
                try first.share(Self.crowd(3_500..<4_000))
                #expect(try first.fleetError(devices: 0..<4_000) < 0.01)

                let healing = distant.gate.logLines.count
                door.open()
                try distant.reconnect(skipping: healing)
                #expect(try first.fleetError(devices: 0..<5_000) < 0.01)
                let error = try distant.fleetError(devices: 0..<5_000)
                #expect(error < 0.01)
                print("after healing, RMS error for 5,000 devices and ten versions: \(error)")
                #expect(try distant.metrics()["versiongate_census_store_up"] == 1)
                try Self.compare(store, first)
            }
        }
    }

    /// Compares the fleet's count with the results of Redis' own commands.
    private static func compare(_ store: Store, _ gate: Scene) throws {
        let found = try gate.censusOfAll()
        let keys = try store.ask("KEYS", "*:hour:*:all").split(separator: "\n").map(String.init)
        #expect(!keys.isEmpty)
        let fleet = try #require(found.number("fleetDevices"))
        #expect(try store.server.ask(["PFCOUNT"] + keys) == "\(fleet)")
        #expect(try store.server.ask(["PFMERGE", "test"] + keys) == "OK")
        #expect(try store.ask("PFCOUNT", "test") == "\(fleet)")
        // -1 is a key that never expires. The key of the killed gate may expire here: -2.
        for key in try store.ask("KEYS", "{*").split(separator: "\n") {
            #expect(try store.ask("TTL", String(key)) != "-1", "\(key) is kept for ever")
        }
        let command = try ToolProcess.versiongate(
            "census",
            "--state",
            gate.stateFolder,
            "--census-store",
            "redis://:nobody@127.0.0.1:\(store.server.port)",
            "--census-store-password-file",
            store.folder.path(of: "password"),
            "--census-key-file",
            store.folder.path(of: "key")
        )
        #expect(command.output.contains("; \(fleet) devices in the fleet\n"))
        Attachment.record(command.output, named: "census.txt")
    }

    @Test
    func `a store that hangs delays no request, and counting continues when it responds again`()
        async throws
    {
        let store = try Store()
        defer { store.end() }
        try await Self.play(store) { scene in
            try scene.share(Self.crowd(0..<100))
            let seen = scene.gate.logLines.count
            _ = kill(store.server.processIdentifier, SIGSTOP)
            defer { _ = kill(store.server.processIdentifier, SIGCONT) }
            let slowest = try scene.slowest(of: Self.crowd(100..<600))
            #expect(slowest < .seconds(1), "\(slowest)")
            try scene.gate.logLine("the store to be unavailable", skipping: seen) {
                $0.message == "the census store is unavailable"
            }
            // The queued records wait for the store; requests do not.
            let meanwhile = try scene.slowest(of: Self.crowd(600..<1_000))
            #expect(meanwhile < .seconds(1), "\(meanwhile)")
            #expect(try #require(scene.metrics()["versiongate_census_store_failures_total"]) >= 1)
            let healing = scene.gate.logLines.count
            _ = kill(store.server.processIdentifier, SIGCONT)
            try scene.reconnect(skipping: healing)
            #expect(try scene.fleetError(devices: 0..<1_000) < 0.01)
        }
    }

    @Test func `a store with TLS gets the devices, and a client certificate`() async throws {
        let store = try Store(.tls)
        defer { store.end() }
        try await Self.play(store) { first in
            try await Self.play(store) { second in
                try first.share(Self.crowd(0..<600))
                try second.share(Self.crowd(400..<1_000))
                #expect(try first.fleetError(devices: 0..<1_000) < 0.01)
                #expect(try second.metrics()["versiongate_census_store_up"] == 1)
            }
        }
    }

    @Test(arguments: [
        (["--census-store", "redis://localhost"], "--census-key-file is required"),
        (["--census-store", "rediss://localhost"], "--census-key-file is required"),
        (
            ["--census-store", "redis://localhost", "--census-store-ca", "/etc/hosts"],
            "the file contains no certificate in PEM format"
        ),
        (
            ["--census-store", "redis://localhost", "--census-store-certificate", "/etc/hosts"],
            "expected a file with a certificate in PEM format"
        ),
        (["--census-store", "localhost:6379"], "expected redis://HOST"),
        (
            ["--census-devices", "off", "--census-returns", "on"],
            "--census-returns is given, but --census-devices is off"
        ),
        (["--census-key-file", "/dev/null"], "expected a file with 32 hexadecimal digits"),
    ])
    func `invalid store settings are reported at startup`(flags: [String], words: String)
        throws
    {
        let result = try ToolProcess.versiongate(
            ["serve", "--upstream", "http://127.0.0.1:1", "--rules", "none.yaml"] + flags
        )
        #expect(result.status == 1)
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}

extension Scene {
    /// Sends all requests, and waits until the fleet's store has them.
    fileprivate func share(_ visitors: [CensusVisitor]) throws {
        let skipped = self.gate.logLines.count
        try self.count(visitors)
        try self.awaitShared(skipping: skipped)
    }

    /// Sends one more request, whose count is written after the previous ones were delivered.
    private func awaitShared(skipping skipped: Int) throws {
        try self.count([CensusVisitor(version: "2.0", device: "device-2000")])
        try self.gate.logLine("the census to be handed over", skipping: skipped) {
            $0.message == "census delivered"
        }
    }

    /// Sends requests until the gate has reconnected to the store.
    ///
    /// Only counted requests trigger an attempt.
    fileprivate func reconnect(skipping skipped: Int) throws {
        // The pause between two attempts doubles while the store is unavailable, up to a minute.
        try Deadline.after(.seconds(75)).poll("the store to be available again") {
            try self.send([CensusVisitor(version: "2.0", device: "device-2000")])
            let isBack = self.gate.logLines.dropFirst(skipped).contains {
                $0.message == "the census store is available again"
            }
            return isBack ? true : nil
        }
    }

    /// Sends all requests, waits until the census has counted them, and returns the longest
    /// response time.
    fileprivate func slowest(of visitors: [CensusVisitor]) throws -> Duration {
        let skipped = self.gate.logLines.count
        let client = try self.connect()
        var slowest = Duration.zero
        for visitor in visitors {
            let start = ContinuousClock.now
            try client.send(visitor.request)
            try #require(try client.response().status == 200)
            slowest = max(slowest, start.duration(to: .now))
        }
        try self.awaitCensus(of: visitors.count, skipping: skipped)
        return slowest
    }

    fileprivate func censusOfAll() throws -> JSONReport {
        let answer = try self.askAdmin("GET", "/api/v1/census?since=2h")
        try #require(answer.status == 200, "\(answer.text)")
        return try JSONReport(answer.text)
    }

    /// Returns the root mean square error over all devices and each version.
    fileprivate func fleetError(devices: Range<Int>) throws -> Double {
        let report = try self.censusOfAll()
        let all = try #require(report.number("fleetDevices"))
        var errors = [Double(all) / Double(devices.count) - 1]
        for line in report.list("clients") {
            guard let count = line.number("fleetDevices"), line.text("version") != nil else {
                continue
            }
            errors.append(Double(count) / Double(devices.count / 10) - 1)
        }
        #expect(errors.count == 11)
        return (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    }
}
