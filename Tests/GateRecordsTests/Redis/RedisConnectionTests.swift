import GateSystem
import GateTestSupport
import Testing

@testable import GateRecords

/// Connections to a real Redis server, with and without TLS.
@Suite(
    .ownThread,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: RedisServer.canRun && TestCertificates.canBeMade, "redis or openssl is missing")
)
struct RedisConnectionTests {
    private static let patience = 5

    struct Store: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names = "DNS:localhost,IP:127.0.0.1"
        var days = 30
        var authority = "ca"
        var host = "localhost"
        /// Whether the server requires a client certificate, and whether the client has one.
        var asksClients = false
        var isShown = false
        /// The expected error; `nil` if the server is trusted.
        var failure: String?
    }

    @Test(arguments: [
        Store(testDescription: "by name"),
        Store(testDescription: "by address", host: "127.0.0.1"),
        Store(
            testDescription: "of another name",
            names: "DNS:example.com",
            failure: "the certificate is not trusted: it is for another host"
        ),
        Store(
            testDescription: "of the past",
            days: -1,
            failure: "the certificate is not trusted: it has expired"
        ),
        Store(
            testDescription: "from an unknown authority",
            authority: "other",
            failure: "the certificate is not trusted: it was not issued"
        ),
        Store(testDescription: "with a client certificate", asksClients: true, isShown: true),
        Store(
            testDescription: "without a client certificate",
            asksClients: true,
            failure: "the connection was closed"
        ),
    ])
    func `a Redis server with TLS is trusted only with a valid certificate`(store: Store) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        if store.authority != "ca" { try certificates.makeAuthority(store.authority) }
        try certificates.make(
            "server",
            names: store.names,
            days: store.days,
            authority: store.authority
        )
        try certificates.make("gate", names: "DNS:gate")
        let server = try RedisServer(
            in: folder,
            tls: RedisServer.TLS(
                certificate: certificates.path("server.pem"),
                key: certificates.path("server.key"),
                clientAuthority: store.asksClients ? certificates.path("ca.pem") : nil
            )
        )
        defer { server.end() }
        var place = RedisServerSettings(
            try RedisAddress("rediss://\(store.host):\(server.securePort)"),
            trust: try TrustedAuthorities(adding: certificates.path("ca.pem"))
        )
        if store.isShown {
            place.certificate = ClientCertificate(
                chain: try #require(ClientCertificate.part(inFile: certificates.path("gate.pem"))),
                key: try #require(ClientCertificate.part(inFile: certificates.path("gate.key")))
            )
        }
        let greeting = [RedisConnection.command("PFADD", "seen", "a", "b")]
        guard let failure = store.failure else {
            let connection = try RedisConnection(place, patience: Self.patience)
            #expect(try connection.ask(greeting) == [1])
            // The values are larger than the buffers between client and server.
            let value = [UInt8](repeating: 0xAA, count: 16_304)
            let commands = (0..<250).flatMap { number in
                let name = Array("value-\(number)".utf8)
                return [[Array("SET".utf8), name, value], [Array("STRLEN".utf8), name]]
            }
            #expect(try connection.ask(commands) == (0..<250).flatMap { _ in [0, 16_304] })
            return
        }
        let found = #expect(throws: RedisConnection.Failure.self) {
            try RedisConnection(place, patience: Self.patience).ask(greeting)
        }
        #expect(found?.description.hasPrefix(failure) == true, "\(found?.description ?? "")")
        #expect(try server.ask(["PFCOUNT", "seen"]) == "0")
    }

    @Test func `TLS to a port without TLS is reported, and so is the reverse`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let server = try RedisServer(
            in: folder,
            tls: RedisServer.TLS(
                certificate: certificates.path("server.pem"),
                key: certificates.path("server.key")
            )
        )
        defer { server.end() }
        for (url, words) in [
            (
                "rediss://localhost:\(server.port)",
                "connecting timed out; the port might not support TLS"
            ),
            ("redis://localhost:\(server.securePort)", "the connection was closed"),
        ] {
            let found = #expect(throws: RedisConnection.Failure.self) {
                try RedisConnection(RedisServerSettings(RedisAddress(url)), patience: 1)
                    .ask([RedisConnection.command("PFCOUNT", "seen")])
            }
            #expect(found?.description.hasPrefix(words) == true, "\(found?.description ?? "")")
        }
    }

    @Test func `the user, password and database of a URL are used`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try RedisServer(
            in: folder,
            options: ["--user", "gate", "on", ">se%cr@t", "~*", "+@all"]
        )
        defer { server.end() }
        let text = "redis://gate:se%25cr%40t@localhost:\(server.port)/3"
        let connection = try RedisConnection(
            RedisServerSettings(RedisAddress(text)),
            patience: Self.patience
        )
        #expect(try connection.ask([RedisConnection.command("PFADD", "seen", "a")]) == [1])
        #expect(try server.ask(["-n", "3", "PFCOUNT", "seen"]) == "1")
        #expect(try server.ask(["PFCOUNT", "seen"]) == "0")
        let found = #expect(throws: RedisConnection.Failure.self) {
            let text = "redis://gate:wrong@localhost:\(server.port)"
            return try RedisConnection(
                RedisServerSettings(RedisAddress(text)),
                patience: Self.patience
            )
        }
        #expect(found?.description.hasPrefix("WRONGPASS") == true)
    }
}
