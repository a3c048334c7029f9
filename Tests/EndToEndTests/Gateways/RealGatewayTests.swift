import Foundation
import GateTestSupport
import Testing

/// The gate beside the real gateways that Debian has, with the configurations in docs/gateways.
///
/// `make gateways` runs all gateways and all cases.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)), .needs("nginx", "haproxy", "curl"))
struct RealGatewayTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(.enabled(if: GRPCPython.isInstalled, "grpcio is not installed"))
    func `nginx and HAProxy show clients what docs/gateways states`() throws {
        let result = try ToolProcess.run(
            "python3",
            [
                "-B", Self.root.appending(path: "Tests/Gateways/run.py").path, "--gate",
                try GateExecutable.locate().path, "--only", "nginx,haproxy", "--quick",
            ],
            // Seven seconds alone, a minute beside the start of all other tests on two cores.
            within: .seconds(200)
        )
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    }

    @Test(
        arguments: [
            ("nginx", "server 10.0.0.5:9000;", "server 10.0.0.6:3000;", "listen 0.0.0.0:81;"),
            ("traefik", "http://10.0.0.5:9000/decide", "http://10.0.0.6:3000", "\"0.0.0.0:81\""),
            ("caddy", "forward_auth 10.0.0.5:9000", "reverse_proxy 10.0.0.6:3000", "http://:81 {"),
            (
                "envoy", "address: 10.0.0.5, port_value: 9000",
                "address: 10.0.0.6, port_value: 3000",
                "address: 0.0.0.0, port_value: 81"
            ),
            (
                "haproxy", "http://10.0.0.5:9000/decide", "server api 10.0.0.6:3000",
                "bind 0.0.0.0:81"
            ),
        ]
    )
    func `init prints the configuration in the docs with other addresses`(
        gateway: String,
        gate: String,
        backend: String,
        listen: String
    ) throws {
        let result = try ToolProcess.versiongate(
            [
                "init", "--beside", gateway, "--gate",
                "10.0.0.5:9000", "--backend", "10.0.0.6:3000", "--listen", "0.0.0.0:81",
            ]
        )
        #expect(result.status == 0, "\(result.errors)")
        for text in [gate, backend, listen] { #expect(result.output.contains(text), "\(text)") }
        for old in ["8090", "8081", "8080"] { #expect(!result.output.contains(old), "\(old)") }
    }

    @Test func `init writes the files of a configuration, and replaces none`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("rules.yaml").deletingLastPathComponent().path
        let arguments = ["init", "--beside", "nginx", "--into", path]
        #expect(try ToolProcess.versiongate(arguments).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["nginx.conf", "versiongate.conf"])
        let again = try ToolProcess.versiongate(arguments)
        #expect(again.status == 1)
        #expect(again.errors.contains("the file exists; use --force to replace it"))
    }

    @Test func `init explains an address in another form`() throws {
        let result = try ToolProcess.versiongate(
            ["init", "--beside", "nginx", "--gate", "8090"]
        )
        #expect(result.status == 1)
        #expect(result.errors.contains("--gate '8090': expected HOST:PORT"))
    }
}
