import Foundation
import GateTestSupport
import Testing

@testable import GateCensus

/// Compares counts and merges with a real Redis server.
@Suite(
    .serialized,
    .ownThread,
    .timeLimit(.minutes(2)),
    .enabled(if: RedisServer.canRun, "redis-server or redis-cli is missing")
)
struct RedisServerTests {
    @Test func `Redis agrees on counts and merges`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let socket = folder.path(of: "redis.sock")
        let server = try BackgroundTool(
            "redis-server",
            ["--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder.url.path]
        )
        defer { server.end() }
        func ask(_ arguments: [String]) throws -> String {
            let result = try ToolProcess.run("redis-cli", ["-s", socket] + arguments)
            return result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        try server.waitForText("ready to accept connections")
        var generator = SeededGenerator(seed: 1)
        var whole = HyperLogLog()
        let sizes = [0, 1, 30, 1_000, 3_000, 70_000]
        for size in sizes {
            let sketch = HyperLogLog(of: size, using: &generator)
            whole.merge(sketch)
            // Passed in a file, because arguments cannot contain zero bytes.
            let hex = sketch.redisBytes.map { String(format: "\\x%02x", $0) }.joined()
            let file = folder.path(of: "set-\(size)")
            try Data("SET s\(size) \"\(hex)\"\n".utf8).write(to: URL(fileURLWithPath: file))
            let script = ["-c", "redis-cli -s '\(socket)' < '\(file)'"]
            #expect(try ToolProcess.run("sh", script).output.contains("OK"))
            #expect(try ask(["PFCOUNT", "s\(size)"]) == "\(sketch.count)")
        }
        #expect(try ask(["PFMERGE", "all"] + sizes.map { "s\($0)" }) == "OK")
        #expect(try ask(["PFCOUNT", "all"]) == "\(whole.count)")
    }
}
