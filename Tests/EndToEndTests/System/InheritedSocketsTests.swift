import Testing

@testable import versiongate

struct InheritedSocketsTests {
    @Test(
        arguments: [
            ([:], []), (["LISTEN_FDS": "1"], []), (["LISTEN_PID": "8", "LISTEN_FDS": "1"], []),
            (["LISTEN_PID": "", "LISTEN_FDS": "1"], []),
            (["LISTEN_PID": "8", "LISTEN_FDS": "x"], []),
            (["LISTEN_PID": "7", "LISTEN_FDS": "1"], [3]),
            (["LISTEN_PID": "7", "LISTEN_FDS": "3"], [3, 4, 5]),
        ] as [([String: String], [Int32])]
    )
    func `sockets are inherited only if they are for this process`(
        _ environment: [String: String],
        _ descriptors: [Int32]
    ) throws {
        let sockets = try InheritedSockets.announced(in: environment, processIdentifier: 7)
        #expect(sockets.descriptors == descriptors)
    }

    @Test(arguments: [
        ("", nil), ("0", nil), ("-1", nil), ("x", nil), ("65", nil), ("99999999999", nil),
        ("2", "one"), ("1", "one:two"),
    ])
    func `an invalid announcement is an error`(_ count: String, _ names: String?) {
        var environment = ["LISTEN_PID": "7", "LISTEN_FDS": count]
        environment["LISTEN_FDNAMES"] = names
        #expect(throws: SettingsError.self) {
            try InheritedSockets.announced(in: environment, processIdentifier: 7)
        }
    }

    @Test func `the sockets have their announced names`() throws {
        let sockets = try InheritedSockets.announced(
            in: ["LISTEN_PID": "7", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "http:other"],
            processIdentifier: 7
        )
        #expect(sockets.names == ["http", "other"])
    }

    @Test func `the name selects the listener of a socket`() throws {
        let named = InheritedSockets(descriptors: [3, 4, 5], names: ["", "admin", "http"])
        #expect(named.sockets { $0 == InheritedSockets.adminName } == [4])
        #expect(named.sockets { $0 != InheritedSockets.adminName } == [3, 5])
        let nameless = InheritedSockets(descriptors: [3, 4], names: [])
        #expect(nameless.sockets { $0 == InheritedSockets.adminName } == [])
        #expect(nameless.sockets { $0 != InheritedSockets.adminName } == [3, 4])
    }

    @Test func `a descriptor that is not a listening socket is rejected`() {
        #expect(throws: SettingsError.self) {
            try InheritedSockets(descriptors: [900], names: ["http"]).takeOver()
        }
    }
}
