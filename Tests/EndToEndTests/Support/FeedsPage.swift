import GateTestSupport
import Testing

/// The content of `/feeds` on the admin listener.
struct FeedsPage: Decodable {
    struct Rules: Decodable {
        var revision: String?
        var lastReloadSuccessful: Bool
        var errors: [String]?
    }

    struct State: Decodable {
        var folder: String
        var problem: String?
    }

    struct Log: Decodable {
        var droppedLines: Int
    }

    struct Feed: Decodable {
        var id: String
        var kind: String
        var source: String
        var state: String
        var ageSeconds: Int?
        var confirmedAt: String?
        var changedAt: String?
        var askedAt: String?
        var nextAt: String?
        var failures: Int
        var error: String?
        var notes: [String]?
        var revision: String?
        var inForce: String?
        var webhook: String?
    }

    var rules: Rules
    var state: State?
    var log: Log
    var feeds: [Feed]

    init(of gate: GateProcess) throws {
        let client = try RawClient(port: try #require(gate.adminPort))
        try client.send(Request.text("GET", "/feeds", host: "localhost"))
        let response = try client.response()
        #expect(response.status == 200)
        self = try response.json()
    }

    /// Returns the page as soon as it meets the condition.
    static func of(
        _ gate: GateProcess,
        once awaited: String,
        where isAwaited: (FeedsPage) -> Bool
    ) async throws -> FeedsPage {
        try Deadline.usual.poll("\(awaited): \(try FeedsPage(of: gate))") {
            let page = try FeedsPage(of: gate)
            return isAwaited(page) ? page : nil
        }
    }
}

extension Scene {
    /// Sends one request to the admin listener and reads the response.
    func askAdmin(_ request: String) throws -> RawResponse {
        let client = try RawClient(port: try #require(self.gate.adminPort))
        try client.send(request)
        return try client.response(toHead: request.hasPrefix("HEAD "))
    }

    /// Sends one request to the admin listener, like a client on this machine.
    func askAdmin(
        _ method: String,
        _ target: String,
        fields: String = "",
        body: String? = nil
    ) throws -> RawResponse {
        try self.askAdmin(
            Request.text(method, target, host: "localhost", fields: fields, body: body)
        )
    }

    /// Returns the state of the only feed.
    func feed() throws -> FeedsPage.Feed {
        try #require(try FeedsPage(of: self.gate).feeds.first)
    }

    /// Changes the source, and waits until the gate has logged that the feed failed.
    func waitForFeedFailure(_ awaited: String, after act: () throws -> Void) throws {
        let seen = self.gate.logLines.count
        try act()
        try self.gate.logLine(awaited, skipping: seen) {
            $0.message == "feed failed; its last value stays active"
        }
    }

    @discardableResult
    func waitForPage(
        _ awaited: String,
        where isAwaited: (FeedsPage) -> Bool
    ) async throws -> FeedsPage {
        try await FeedsPage.of(self.gate, once: awaited, where: isAwaited)
    }

    @discardableResult
    func waitForFeed(
        _ awaited: String,
        where isAwaited: (FeedsPage.Feed) -> Bool
    ) async throws -> FeedsPage.Feed {
        let page = try await self.waitForPage(awaited) { $0.feeds.first.map(isAwaited) ?? false }
        return try #require(page.feeds.first)
    }
}
