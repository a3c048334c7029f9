import Glibc
import NIOCore
import Testing

@testable import GateProxy

/// The hints for settings that are nearly valid.
struct SettingHintTests {
    @Test(arguments: [
        ("23010", "; write 127.0.0.1:23010 for local clients, or 0.0.0.0:23010 for all"),
        ("99999", "; 99999 is not a valid port: ports range from 1 to 65535"),
        ("127.0.0.1:99999", "; 99999 is not a valid port: ports range from 1 to 65535"),
        (":8080", "; write 0.0.0.0:8080 for all addresses"),
        ("::1:8080", "; write an IPv6 address in brackets: [::1]:8080"),
        ("http://0.0.0.0:80/", "; write 0.0.0.0:80, without http://"),
        ("localhost", "; add a port: localhost:8080"),
        ("a:b", ""),
    ])
    func `an invalid listen address has a hint`(text: String, hint: String) {
        #expect(Endpoint(text) == nil)
        #expect(Endpoint.hint(for: text) == hint)
    }

    @Test(arguments: [
        ("127.0.0.1:3000", "; write http://127.0.0.1:3000"),
        ("http://a, b:3000", "; write http://b:3000 instead of 'b:3000'"),
        (
            "https://a/api",
            "; write https://a: the backend gets the request path, and a prefix cannot be "
                + "added"
        ),
        ("http://a:99999", "; 99999 is not a valid port: ports range from 1 to 65535"),
        ("http://a:0/x", "; 0 is not a valid port: ports range from 1 to 65535"),
        ("ftp://a", "; the scheme 'ftp' is not supported"),
        ("unix:app.sock", "; a socket path must start with /: unix:/run/app.sock"),
        ("/run/app.sock", "; write unix:/run/app.sock"),
        ("http://a,", "; the list contains an empty entry"),
        ("http://a b", ""), ("http://a", ""),
    ])
    func `an invalid backend has a hint`(text: String, hint: String) {
        #expect(UpstreamTarget.hint(for: text) == hint)
    }

    @Test(arguments: [
        (
            EADDRINUSE,
            "another process is using the port ('ss -ltnp sport = :80' shows which): stop"
        ),
        (EADDRNOTAVAIL, "this machine has no address 192.0.2.1: choose one of its own"),
        (EACCES, "ports below 1024 need the capability CAP_NET_BIND_SERVICE"),
        (ENOMEM, "bind"),
    ])
    func `a failed bind has a hint`(code: CInt, words: String) {
        let error = IOError(errnoCode: code, reason: "bind")
        let problem = BindProblem(Endpoint(host: "192.0.2.1", port: 80), error)
        #expect(problem.description.hasPrefix(words))
    }

    @Test(arguments: [
        (ECONNREFUSED, "nothing is listening: check the port, and that the backend is up"),
        (ENOENT, "there is no such socket: check the path, and that the backend is up"),
        (EACCES, "the gate's user is not allowed to connect: check the permissions"),
        (ENETUNREACH, "no route to the address from this machine"),
    ])
    func `a failed connection to a backend has a hint`(code: CInt, words: String) {
        #expect(ConnectProblem.words(IOError(errnoCode: code, reason: "connect")).hasPrefix(words))
    }

    @Test func `a backend connect timeout has a hint`() {
        let words = ConnectProblem.words(ChannelError.connectTimeout(.milliseconds(2_500)))
        #expect(words.hasPrefix("no response within 2.5 s: check the address"))
    }
}
