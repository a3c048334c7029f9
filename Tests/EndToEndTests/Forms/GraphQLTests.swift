import GateTestSupport
import Testing

/// Denials as a real GraphQL client reads them.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(5)),
    .enabled(if: PythonPackage.isGraphQLInstalled, "gql is not installed")
)
struct GraphQLTests {
    @Test
    func `gql reads the denial of a query as a GraphQL error`() async throws {
        try await Scene.play(
            rules: ConnectTests.rules(maintained: "/archive/**", known: "/account/**"),
            flags: [.accessLog],
            backend: { _ in
                let type = "Content-Type: application/json\r\n"
                return [.readBody, .answer(fields: type, body: #"{"data":{"orders":[]}}"#)]
            }
        ) { scene in
            let result = try ToolProcess.run(
                "python3",
                [ConnectTests.program("graphql-client.py"), "\(scene.gate.port)"]
            )
            let lines = result.output.split(separator: "\n")
            #expect(lines.count == 10, "\(result.errors)")
            for line in lines { #expect(line.hasPrefix("ok "), "\(line)") }
            let record = try scene.finalRecord()
            #expect(record.exchanges.count == 1)
            let logged = scene.gate.logText.split(separator: "\n")
                .filter { $0.contains(#""protocol":"#) }
            #expect(logged.count == 10)
        }
    }
}
