import Testing

@testable import GateWire

struct FieldNameTableTests {
    private static func role(of name: String, in table: FieldNameTable) -> FieldRole {
        let bytes = Array("\r\n\(name): x".utf8)
        return table.role(in: bytes.span, from: 2, to: 2 + name.utf8.count)
    }

    @Test(arguments: FieldRole.requestFields.map(\.0))
    func `a request field is found in any case, but only by its whole name`(_ name: String) throws {
        let table = FieldNameTable.request(identityHeaderNames: [])
        let role = try #require(FieldRole.requestFields.first { $0.0 == name }).1
        #expect(role != .other)
        #expect(Self.role(of: name, in: table) == role)
        #expect(Self.role(of: name.uppercased(), in: table) == role)
        #expect(Self.role(of: name + "x", in: table) == .other)
        #expect(Self.role(of: "x" + name, in: table) == .other)
        #expect(Self.role(of: String(name.dropLast()), in: table) == .other)
        #expect(Self.role(of: name.dropLast() + "$", in: table) == .other)
    }

    @Test func `another protocol's field is found unless it is an identity field`() {
        let names = FieldRole.dialectFields.map(\.0)
        #expect(names.count == 4)
        let table = FieldNameTable.request(identityHeaderNames: ["apollographql-client-name"])
        for name in names {
            let role = Self.role(of: name.uppercased(), in: table)
            switch name {
            case "apollographql-client-name": #expect(role == .identity(0))
            case "connect-protocol-version": #expect(role == .dialect(.connect))
            default: #expect(role == .dialect(.graphQL))
            }
            #expect(role.dependsOnRules)
        }
    }

    @Test(arguments: FieldRole.responseFields.map(\.0))
    func `a response field is found in any case`(_ name: String) throws {
        let role = try #require(FieldRole.responseFields.first { $0.0 == name }).1
        #expect(Self.role(of: name, in: .response) == role)
        #expect(Self.role(of: name.uppercased(), in: .response) == role)
    }

    @Test(arguments: [
        "X_VersionGate_Decision", "X-Forwarded_For", "x_app_version", "Content_Length",
    ])
    func `a reserved name with underscores is removed like the original`(_ name: String) {
        let table = FieldNameTable.request(identityHeaderNames: ["x-app-version"])
        #expect(Self.role(of: name, in: table) == .gateOwned)
    }

    @Test func `an identity field with an underscore in its name is found`() {
        let table = FieldNameTable.request(identityHeaderNames: ["app_version"])
        #expect(Self.role(of: "App_Version", in: table) == .identity(0))
        #expect(Self.role(of: "App-Version", in: table) == .other)
    }

    @Test func `identity fields are numbered by position`() {
        let names = (0..<64).map { "x-\($0)" }
        let table = FieldNameTable.request(identityHeaderNames: names)
        for (index, name) in names.enumerated() {
            #expect(Self.role(of: name, in: table) == .identity(UInt8(index)))
        }
    }

    @Test func `a framing field is never an identity field`() {
        let table = FieldNameTable.request(identityHeaderNames: ["content-length", "host", "a"])
        #expect(Self.role(of: "Content-Length", in: table) == .contentLength)
        #expect(Self.role(of: "Host", in: table) == .host)
        #expect(Self.role(of: "A", in: table) == .identity(2))
    }

    @Test(arguments: Array("!#$%&'*+-.^_`|~09az"))
    func `a name may start with any token character`(_ first: Character) {
        let name = "\(first)-version"
        let table = FieldNameTable.request(identityHeaderNames: [name])
        #expect(Self.role(of: name, in: table) == .identity(0))
        #expect(Self.role(of: name.uppercased(), in: table) == .identity(0))
    }

    @Test func `names in the same bucket are distinguished`() {
        // The bucket depends only on the length and the first letter.
        let names = ["x-aaaa", "x-bbbb", "x-cccc"]
        let table = FieldNameTable.request(identityHeaderNames: names)
        #expect(
            names.map { Self.role(of: $0, in: table) } == [
                .identity(0), .identity(1), .identity(2),
            ]
        )
        #expect(Self.role(of: "x-dddd", in: table) == .other)
    }

    @Test func `an empty name and an empty table find no field`() {
        #expect(Self.role(of: "", in: .response) == .other)
        #expect(Self.role(of: "a", in: FieldNameTable([])) == .other)
    }
}
