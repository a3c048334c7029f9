import Testing

@testable import GateWire

struct WebSocketKeyTests {
    @Test func `the key from RFC 6455 1.3 yields the accept value in the RFC`() {
        // The bytes of "the sample nonce".
        let key = WebSocketKey(high: 0x7468_6520_7361_6D70, low: 0x6C65_206E_6F6E_6365)
        #expect(key.text == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(key.accept == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func `random keys differ`() {
        #expect(WebSocketKey.random() != WebSocketKey.random())
    }
}
