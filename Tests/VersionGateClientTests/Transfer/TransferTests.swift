import Foundation
import Testing

@testable import VersionGateClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct TransferTests {
    struct Redirection: Sendable {
        var from: String
        var to: String
        var isFollowed: Bool
    }

    @Test(arguments: [
        Redirection(from: "https://a.example/x", to: "https://a.example/y", isFollowed: true),
        Redirection(from: "http://a.example/x", to: "https://A.example/x", isFollowed: true),
        Redirection(from: "http://a.example:80/x", to: "http://a.example:8080/", isFollowed: true),
        Redirection(from: "https://a.example/x", to: "http://a.example/x", isFollowed: false),
        Redirection(from: "https://a.example/x", to: "https://b.example/x", isFollowed: false),
        Redirection(from: "https://a.example/x", to: "https://a.example.org/", isFollowed: false),
        Redirection(from: "https://a.example/x", to: "app:open", isFollowed: false),
    ])
    func `redirects are followed only to the same host, and never from TLS to plain HTTP`(
        _ test: Redirection
    ) {
        let isFollowed = Transfer.staysWithGate(
            from: URL(string: test.from),
            to: URL(string: test.to)
        )
        #expect(isFollowed == test.isFollowed)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a transfer that is canceled at once does not crash`() async throws {
        let nobody = try #require(URL(string: "http://127.0.0.1:9"))
        for _ in 0..<500 {
            let configuration = URLSessionConfiguration.default
            #expect(configuration.urlCache != nil)
            let transfer = Transfer(
                request: URLRequest(url: nobody),
                session: URLSession(configuration: configuration)
            )
            let asking = Task { try await transfer.whole() }
            asking.cancel()
            await #expect(throws: (any Error).self) { try await asking.value }
        }
    }
}
