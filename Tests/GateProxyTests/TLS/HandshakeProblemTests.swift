import Testing

@testable import GateProxy

struct HandshakeProblemTests {
    @Test func `the names of the reasons are found in the library's message`() {
        let text = """
            handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 268435612 error:1000009c:SSL \
            routines:OPENSSL_internal:HTTP_REQUEST at /build/ssl/tls_record.cc:233, Error: 1 \
            error:1:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER at /a.cc:1]))
            """
        #expect(HandshakeProblem.names(in: text) == ["HTTP_REQUEST", "WRONG_VERSION_NUMBER"])
        #expect(HandshakeProblem.names(in: "handshakeFailed(eof)") == [])
    }

    @Test(arguments: [
        ("HTTP_REQUEST", HandshakeProblem.Peer.client, "a client is using plain HTTP where TLS is"),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", .client, "a client sent no certificate, but --tls-c"),
        ("CERTIFICATE_VERIFY_FAILED", .client, "a client's certificate is not signed by a CA in"),
        ("SSLV3_ALERT_CERTIFICATE_EXPIRED", .client, "a client rejected the gate's certificate,"),
        ("TLSV1_ALERT_UNKNOWN_CA", .client, "a client does not trust the gate's certificate"),
        ("CERTIFICATE_VERIFY_FAILED", .backend, "the backend's certificate is not trusted: it is"),
        ("WRONG_VERSION_NUMBER", .backend, "the backend port does not use TLS: write http://"),
    ])
    func `each reason has a description`(name: String, peer: HandshakeProblem.Peer, words: String) {
        let problem = HandshakeProblem(names: [name], with: peer)
        #expect(problem.description.hasPrefix(words))
        #expect(problem.isActionable)
    }

    @Test func `failures caused by scanners are not actionable, and backend failures always are`() {
        let stranger = HandshakeProblem(names: ["UNKNOWN_PROTOCOL"], with: .client)
        #expect(!stranger.isActionable)
        let backend = HandshakeProblem(names: ["UNKNOWN_PROTOCOL"], with: .backend)
        #expect(backend.isActionable)
        #expect(backend.description == "the TLS handshake failed (UNKNOWN_PROTOCOL)")
    }

    @Test(arguments: [
        (1_800_000_000, "expired at 2027-01-15T08:00:00Z: clients reject it; renew it"),
        (1_800_000_000 + 86_400, "expires at 2027-01-16T08:00:00Z: renew it"),
        (1_800_000_000 + 15 * 86_400, nil),
    ])
    func `an expiring certificate has a warning`(expiry: Int, words: String?) {
        let remark = ServerTLS.remark(onExpiry: expiry, of: "/a.pem", at: 1_800_000_000)
        #expect(remark == words.map { "the certificate in /a.pem \($0)" })
    }
}
