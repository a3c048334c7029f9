import Testing

@testable import versiongate

struct ServiceManagerAddressTests {
    @Test(arguments: [
        ("/run/systemd/notify", true), ("@abstract", true), ("", false), ("@", false), ("/", false),
        ("relative", false), ("vsock:2:1234", false),
        ("/" + String(repeating: "a", count: 106), true),
        ("/" + String(repeating: "a", count: 107), false),
    ])
    func `only a path and an abstract name are valid addresses of the manager`(
        _ name: String,
        _ isUsable: Bool
    ) {
        let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name], processIdentifier: 7)
        #expect((manager != nil) == isUsable)
    }

    @Test func `without an address there is no manager`() {
        #expect(ServiceManager(environment: [:], processIdentifier: 7) == nil)
    }

    @Test(
        arguments: [
            (nil, nil, nil), ("1000000", nil, .seconds(1)), ("1000000", "7", .seconds(1)),
            ("1000000", "8", nil), ("0", nil, nil), ("-1", nil, nil), ("x", nil, nil),
        ] as [(String?, String?, Duration?)]
    )
    func `the watchdog is notified only if notifications from this process are expected`(
        _ microseconds: String?,
        _ addressee: String?,
        _ interval: Duration?
    ) {
        var environment = ["NOTIFY_SOCKET": "/run/systemd/notify"]
        environment["WATCHDOG_USEC"] = microseconds
        environment["WATCHDOG_PID"] = addressee
        let manager = ServiceManager(environment: environment, processIdentifier: 7)
        #expect(manager?.watchdogInterval == interval)
    }

    @Test func `a status is one line`() {
        #expect(ServiceManager.State.status("a\nREADY=1\r\nb").line == "STATUS=aREADY=1b")
    }

    @Test(arguments: [(1, 0, 1, 70), (100_000, 0, 2, 200_072), (1, 608, 1, 678)])
    func `a client connection needs two descriptors, and an operator's connection one`(
        _ count: Int,
        _ operators: Int,
        _ threads: Int,
        _ needed: UInt64
    ) {
        #expect(
            DescriptorLimit.needed(connections: count, operators: operators, threads: threads)
                == needed
        )
    }
}
