import Testing

@testable import GateProxy

struct CertificateNameTests {
    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example", "a.eXample"), ("a.example", "a.example."),
        ("*.a.example", "b.a.example"), ("localhost", "localhost"),
    ])
    func `a certificate covers its host`(_ name: String, _ host: String) {
        #expect(CertificateName(name).covers(host))
    }

    @Test(arguments: [
        ("a.example", "b.example"), ("a.example", "b.a.example"), ("b.a.example", "a.example"),
        ("*.a.example", "a.example"), ("*.a.example", "c.b.a.example"), ("*.example", "a.example"),
        ("*", "localhost"), ("b*.a.example", "b1.a.example"), ("a.*.example", "a.b.example"),
        ("*.a.example", ".a.example"), ("", ""), ("a.example.", "a.example"),
    ])
    func `a certificate does not cover another host`(_ name: String, _ host: String) {
        #expect(!CertificateName(name).covers(host))
    }
}
