import Testing

@testable import GateWire

struct HostSyntaxTests {
    private static func isValid(_ host: String) -> Bool {
        // Adjacent bytes must not affect the result.
        let bytes = Array("[\(host)]".utf8)
        return HostSyntax.isValid(bytes.span, from: 1, to: bytes.count - 1)
    }

    @Test(arguments: [
        "", "a", "A.example", "a.", "127.0.0.1", "a:80", "a:", "a:00080", "[::1]", "[::1]:80",
        "[::ffff:1.2.3.4]:", "a-b_c~d!e$f&g'h*i+j", "a%20b", "xn--e1afmkfd", "a;b=(c)",
    ])
    func `a valid host is accepted`(_ host: String) {
        #expect(Self.isValid(host))
    }

    @Test(arguments: [
        ":", ":80", "a:b", "a:80:90", "a:80 ", "a:-1", "a:+1", " a", "a b", "a\tb", "a,b", "a/b",
        "a?b", "a#b", "u@a", "a\\b", "a\"b", "a<b", "a{b", "a|b", "a^b", "a`b", "[", "[]", "[]:80",
        "[::1", "[::1]a", "[::1]80", "[::1]:b", "[g::1]", "[::1%25eth0]", "[v1.a]", "[a]]", "::1",
        "a[::1]", "é", "a\u{0}", "a\u{7F}",
    ])
    func `an invalid host is rejected`(_ host: String) {
        #expect(!Self.isValid(host))
    }

    @Test(arguments: [1, 7, 8, 9, 15, 16, 17])
    func `each byte at each position has the same effect in short and in long hosts`(count: Int) {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let names = Set("\(letters)\(letters.uppercased())0123456789-._~!$%&'*+;=()".utf8)
        for byte in UInt8.min...UInt8.max {
            for place in 0..<count {
                // Adjacent bytes are also name bytes.
                var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: count + 9)
                bytes[1 + place] = byte
                let isEmptyPort = byte == UInt8(ascii: ":") && place > 0 && place == count - 1
                let isValid = HostSyntax.isValid(bytes.span, from: 1, to: 1 + count)
                #expect(isValid == (names.contains(byte) || isEmptyPort), "\(byte) \(place)")
            }
        }
    }
}
