import Glibc
import NIOCore
import Testing

@testable import GateProxy

/// The hint at the right line beside a setting that is nearly right.
struct SettingHintTests {
    @Test(arguments: [
        ("23010", "; write 127.0.0.1:23010 for this machine alone, or 0.0.0.0:23010 for all"),
        ("99999", "; 99999 is no port: they go from 1 to 65535"),
        ("127.0.0.1:99999", "; 99999 is no port: they go from 1 to 65535"),
        (":8080", "; write 0.0.0.0:8080 for all addresses"),
        ("::1:8080", "; write an IPv6 address in brackets: [::1]:8080"),
        ("http://0.0.0.0:80/", "; write 0.0.0.0:80, without http://"),
        ("localhost", "; a port is missing: localhost:8080"),
        ("a:b", ""),
    ])
    func `where to listen`(text: String, hint: String) {
        #expect(Endpoint(text) == nil)
        #expect(Endpoint.hint(for: text) == hint)
    }

    @Test(arguments: [
        ("127.0.0.1:3000", "; write http://127.0.0.1:3000"),
        ("http://a, b:3000", "; write http://b:3000 in place of 'b:3000'"),
        (
            "https://a/api",
            "; write https://a: the backend gets the path that the client asked for, and none can be "
                + "put in front of it"
        ),
        ("http://a:99999", "; 99999 is no port: they go from 1 to 65535"),
        ("http://a:0/x", "; 0 is no port: they go from 1 to 65535"),
        ("ftp://a", "; the gate does not speak 'ftp'"),
        ("unix:app.sock", "; the path of a socket begins with /: unix:/run/app.sock"),
        ("/run/app.sock", "; write unix:/run/app.sock"),
        ("http://a,", "; there is nothing between two commas"),
        ("http://a b", ""), ("http://a", ""),
    ])
    func `backends`(text: String, hint: String) {
        #expect(UpstreamTarget.hint(for: text) == hint)
    }

    @Test(arguments: [
        (EADDRINUSE, "another program listens there, which 'ss -ltnp sport = :80' names: stop it"),
        (EADDRNOTAVAIL, "this machine has no address 192.0.2.1: choose one of its own"),
        (EACCES, "ports below 1024 need the capability CAP_NET_BIND_SERVICE"),
        (ENOMEM, "bind"),
    ])
    func `an address that cannot be listened on`(code: CInt, words: String) {
        let error = IOError(errnoCode: code, reason: "bind")
        let problem = BindProblem(Endpoint(host: "192.0.2.1", port: 80), error)
        #expect(problem.description.hasPrefix(words))
    }

    @Test(arguments: [
        (ECONNREFUSED, "nothing listens there: look whether the backend is up, and its port"),
        (ENOENT, "there is no such socket: look whether the backend is up, and the path"),
        (EACCES, "the gate's user may not use it: look at its permissions"),
        (ENETUNREACH, "no way leads there from this machine"),
    ])
    func `a backend that cannot be connected to`(code: CInt, words: String) {
        #expect(ConnectProblem.words(IOError(errnoCode: code, reason: "connect")).hasPrefix(words))
    }

    @Test func `a backend that does not answer in time`() {
        let words = ConnectProblem.words(ChannelError.connectTimeout(.milliseconds(2_500)))
        #expect(words.hasPrefix("no answer within 2.5 s: look at the address"))
    }
}
