import GateTestSupport
import Testing

@testable import GateSystem

/// The verification of sources' certificates.
@Suite(
    .ownThread,
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: TestCertificates.canBeMade && TLSFront.canRun, "openssl or python3 is missing")
)
struct FetchTLSTests {
    struct Source: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names = "DNS:localhost,IP:127.0.0.1"
        var days = 30
        var authority = "ca"
        var host = "localhost"
        var version: String?
        var failure: FetchFailure?
    }

    @Test(arguments: [
        Source(testDescription: "by name"),
        Source(testDescription: "by address", host: "127.0.0.1"),
        Source(
            testDescription: "of another name",
            names: "DNS:example.com",
            failure: .certificate(.wrongName)
        ),
        Source(testDescription: "of the past", days: -1, failure: .certificate(.expired)),
        Source(
            testDescription: "from an unknown authority",
            authority: "other",
            failure: .certificate(.unknownAuthority)
        ),
        Source(testDescription: "of old TLS", version: "TLSv1", failure: .handshake),
    ])
    func `a source is trusted only with a valid certificate`(source: Source) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        if source.authority != "ca" { try certificates.makeAuthority(source.authority) }
        try certificates.make(
            "server",
            names: source.names,
            days: source.days,
            authority: source.authority
        )
        let backend = try ScriptedBackend { _ in [.answer(body: "hello")] }
        let front = try TLSFront(
            to: backend.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key"),
            version: source.version
        )
        let request = FetchRequest(
            try FetchURL(parsing: "https://\(source.host):\(front.port)/"),
            credential: .bearer("secret")
        )
        let fetcher = try Fetcher(trust: TrustedAuthorities(adding: certificates.path("ca.pem")))
        guard let failure = source.failure else {
            #expect(try await fetcher.fetch(request).body == Array("hello".utf8))
            return
        }
        await #expect(throws: failure) { try await fetcher.fetch(request) }
        #expect(backend.record.requests.isEmpty)
    }

    @Test func `the test CA is not trusted by default`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let certificates = try TestCertificates(in: folder)
        try certificates.make("server", names: "DNS:localhost")
        let backend = try ScriptedBackend { _ in [.answer()] }
        let front = try TLSFront(
            to: backend.port,
            certificate: certificates.path("server.pem"),
            key: certificates.path("server.key")
        )
        let request = FetchRequest(try FetchURL(parsing: "https://localhost:\(front.port)/"))
        await #expect(throws: FetchFailure.certificate(.unknownAuthority)) {
            try await Fetcher().fetch(request)
        }
    }

    @Test func `a file without certificates is rejected`() throws {
        let folder = try TestFolder()
        try folder.write("nothing", to: "ca.pem")
        #expect(throws: TrustedAuthorities.Failure.self) {
            try TrustedAuthorities(adding: folder.path(of: "ca.pem"))
        }
        #expect(throws: TrustedAuthorities.Failure.self) {
            try TrustedAuthorities(adding: folder.path(of: "none.pem"))
        }
    }
}
