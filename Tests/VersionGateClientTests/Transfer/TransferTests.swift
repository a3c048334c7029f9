import Foundation
import Testing

@testable import VersionGateClient

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
    func `only the gate's own host is followed, and never out of TLS`(_ test: Redirection) {
        let isFollowed = Transfer.staysWithGate(
            from: URL(string: test.from),
            to: URL(string: test.to)
        )
        #expect(isFollowed == test.isFollowed)
    }
}
