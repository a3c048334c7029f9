import GatePolicy
import GateTestSupport
import StandInStreams
import Testing

@testable import GateEnvoy

/// Denied uploads: after an early response, Envoy resets the stream, and some clients drop the response.
extension ModuleStreamTests {
    private static let denied = ["X-App-Platform: ios", "X-App-Version: 2.9.0"]

    private func upload(_ lines: [String], in configuration: Configuration) throws -> StandInStream
    {
        let stream = try #require(StandInStream(configuration))
        try #require(!stream.send("POST", "/a", Self.denied + lines, endsWithHead: false))
        return stream
    }

    private static let small = ["Content-Length: 65536"]

    @Test func `the denial waits for a small body`() throws {
        let stream = try self.upload(Self.small, in: self.configuration)
        #expect(stream.status == nil)
        #expect(!stream.sendData())
        #expect(stream.status == nil)
        #expect(!stream.sendData(endsStream: true))
        #expect(stream.status == 426)
        #expect(stream.body.contains("upgrade-required"))
        #expect(self.follower.openStreams.count == 0)
    }

    @Test func `the denial waits for the trailers of a small body`() throws {
        let stream = try self.upload(Self.small, in: self.configuration)
        #expect(!stream.sendData())
        _ = stream.sendTrailers([("a", "b")])
        #expect(stream.status == 426)
    }

    @Test(arguments: [
        ["Content-Length: 65537"], ["Content-Length: 99999999999999999999"], [],
        ["Transfer-Encoding: chunked"], small + ["Expect: 100-continue"], small + webSocket,
        small + call,
    ])
    func `the denial does not wait for a body that may be large or never end`(
        lines: [String]
    ) throws {
        let stream = try self.upload(lines, in: self.configuration)
        #expect(stream.status != nil)
        #expect(self.follower.openStreams.count == 0)
    }

    @Test func `the denial does not wait for a body that stalls`() throws {
        let clock = Clock(1_800_000_000)
        let path = self.folder.path(of: "rules.yaml")
        let follower = try RulesFollower(.files(path: path)) { clock.now }
        let stream = try self.upload(Self.small, in: Configuration(follower) { clock.now })
        for (second, status) in [(0, nil), (1, nil), (2, 426)] as [(Int64, Int?)] {
            clock.set(1_800_000_000 + second)
            follower.wakeStreams()
            _ = stream.runEvents()
            #expect(stream.status == status)
        }
        #expect(follower.openStreams.count == 0)
    }

    @Test func `the denial of an upload that ends early is dropped`() throws {
        do {
            _ = try self.upload(Self.small, in: self.configuration)
        }
        #expect(self.follower.openStreams.count == 0)
        let stream = try self.upload(Self.small, in: self.configuration)
        stream.receive([":status: 408"], isLocal: true)
        #expect(self.follower.openStreams.count == 0)
    }

    @Test func `held denials do not delay the end of other streams`() throws {
        let clock = Clock(1_800_000_000)
        let path = self.folder.path(of: "rules.yaml")
        let follower = try RulesFollower(.files(path: path)) { clock.now }
        let configuration = Configuration(follower) { clock.now }
        let uploads = try (0..<OpenStreams.wakeLimit * 3).map { _ in
            try self.upload(Self.small, in: configuration)
        }
        let other = try #require(StandInStream(configuration))
        try #require(other.send(Self.iOS + Self.webSocket))
        other.receive([":status: 101"])
        try self.folder.replace("rules.yaml", with: Self.rules("4.1.0"))
        for _ in 0..<2 { follower.check() }
        clock.set(1_800_000_002)
        follower.wakeStreams()
        #expect(other.runEvents() == nil)
        for upload in uploads {
            _ = upload.runEvents()
            #expect(upload.status == 426)
        }
    }
}
