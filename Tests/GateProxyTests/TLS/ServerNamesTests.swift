import Testing

@testable import GateProxy

struct ServerNamesTests {
    private static let names: ServerNames<Int> = {
        var names = ServerNames<Int>()
        names.add("exact.example", 1)
        names.add("*.wild.example", 2)
        names.add("one.wild.example", 3)
        names.add("EXACT.example", 4)
        names.add("*", 5)
        return names
    }()

    @Test(
        arguments: [
            ("exact.example", 1), ("Exact.Example", 1), ("exact.example.", 1),
            ("a.wild.example", 2), ("A.WILD.example", 2), ("one.wild.example", 3),
            ("a.b.wild.example", nil), ("wild.example", nil), (".wild.example", nil),
            ("other.example", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func `a server name selects its certificate`(name: String, value: Int?) {
        #expect(Self.names[name] == value)
    }
}
