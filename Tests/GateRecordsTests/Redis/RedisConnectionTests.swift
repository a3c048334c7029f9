import GateSystem
import GateTestSupport
import Testing

@testable import GateRecords

/// A real Redis, with TLS and without.
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
        /// Whether it wants to see a certificate, and whether it is shown one.
        var asksClients = false
        var isShown = false
        /// `nil`: it is believed.
        var failure: String?
    }

    @Test(arguments: [
        Store(testDescription: "by name"),
        Store(testDescription: "by address", host: "127.0.0.1"),
        Store(
            testDescription: "of another name",
            names: "DNS:example.com",
            failure: "the certificate is not to be trusted: it is for another host"
        ),
        Store(
            testDescription: "of the past",
            days: -1,
            failure: "the certificate is not to be trusted: it has expired"
        ),
        Store(
            testDescription: "of an unknown authority",
            authority: "other",
            failure: "the certificate is not to be trusted: nobody vouches for it"
        ),
        Store(testDescription: "that sees a certificate", asksClients: true, isShown: true),
        Store(
            testDescription: "that sees none",
            asksClients: true,
            failure: "the connection was closed"
        ),
    ])
    func `a store with TLS is believed by its certificate alone`(store: Store) throws {
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
        var place = RedisPlace(
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
            // More than any buffer between the two holds.
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

    @Test func `a port with the other protocol is told`() throws {
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
                "connecting took too long: the port may be one without TLS"
            ),
            ("redis://localhost:\(server.securePort)", "the connection was closed"),
        ] {
            let found = #expect(throws: RedisConnection.Failure.self) {
                try RedisConnection(RedisPlace(RedisAddress(url)), patience: 1)
                    .ask([RedisConnection.command("PFCOUNT", "seen")])
            }
            #expect(found?.description.hasPrefix(words) == true, "\(found?.description ?? "")")
        }
    }

    @Test func `a user with a password chooses a database`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try RedisServer(
            in: folder,
            options: ["--user", "gate", "on", ">se%cr@t", "~*", "+@all"]
        )
        defer { server.end() }
        let text = "redis://gate:se%25cr%40t@localhost:\(server.port)/3"
        let connection = try RedisConnection(
            RedisPlace(RedisAddress(text)),
            patience: Self.patience
        )
        #expect(try connection.ask([RedisConnection.command("PFADD", "seen", "a")]) == [1])
        #expect(try server.ask(["-n", "3", "PFCOUNT", "seen"]) == "1")
        #expect(try server.ask(["PFCOUNT", "seen"]) == "0")
        let found = #expect(throws: RedisConnection.Failure.self) {
            let text = "redis://gate:wrong@localhost:\(server.port)"
            return try RedisConnection(RedisPlace(RedisAddress(text)), patience: Self.patience)
        }
        #expect(found?.description.hasPrefix("WRONGPASS") == true)
    }
}
