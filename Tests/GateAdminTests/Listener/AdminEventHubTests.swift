import GateControl
import GateFeeds
import GateRules
import GateSystem
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import RulesTestSupport
import Testing

@testable import GateAdmin

/// The event streams of pages, tested without a gate.
struct AdminEventHubTests {
    private let loop = EmbeddedEventLoop()
    private let hub: AdminEventHub
    private let moment: AdminSnapshot

    init() async {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let reloader = RulesReloader(
            loader: RulesFileLoader(path: "/nowhere"),
            logger: logger
        ) { _ in }
        let endpoints = AdminEndpoints(
            reloader: reloader,
            coordinator: FeedCoordinator(reloader: reloader, store: nil, logger: logger),
            hooks: FeedHooks(logger: logger),
            now: SystemClock.now
        )
        self.hub = AdminEventHub(endpoints, on: self.loop, interval: .hours(1), limit: 3)
        self.moment = await endpoints.moment()
    }

    private func moment(records: Int) -> AdminSnapshot {
        AdminSnapshot(
            reload: self.moment.reload,
            reloads: self.moment.reloads,
            records: records,
            feeds: [],
            breaker: nil
        )
    }

    private static func figures(_ requests: UInt64) -> AdminFigures {
        AdminFigures(
            requests: requests,
            denied: 1,
            warned: 0,
            observed: 0,
            passed: 4,
            connections: 2
        )
    }

    /// Returns the text sent to a page since the last call.
    private static func text(_ channel: EmbeddedChannel) throws -> String {
        var text = ""
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            guard case .body(.byteBuffer(let body)) = part else { continue }
            text += String(buffer: body)
        }
        return text
    }

    @Test func `a page gets changes, and figures only if they differ`() throws {
        let page = EmbeddedChannel(loop: self.loop)
        try page.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(self.hub.add(page))
        #expect(try Self.text(page) == "retry: 2000\n\n")
        self.hub.tell(self.moment, Self.figures(3))
        let numbers =
            #"{"connections":2,"denied":1,"observed":0,"passed":4,"requests":3,"warned":0}"#
        #expect(try Self.text(page) == "event: figures\ndata: \(numbers)\n\n")
        self.hub.tell(self.moment, Self.figures(3))
        #expect(try Self.text(page) == "")
        self.hub.tell(self.moment(records: 1), nil)
        #expect(try Self.text(page) == "event: changed\ndata: {\"parts\":[\"audit\"]}\n\n")
    }

    @Test func `an idle stream gets a comment, and ends after an hour`() throws {
        let page = EmbeddedChannel(loop: self.loop)
        try page.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        #expect(self.hub.add(page))
        _ = try Self.text(page)
        for _ in 0..<30 { self.hub.tell(self.moment, nil) }
        #expect(try Self.text(page) == "")
        self.hub.tell(self.moment, nil)
        #expect(try Self.text(page) == ":\n\n")
        for _ in 31..<7_200 { self.hub.tell(self.moment, nil) }
        #expect(page.isActive)
        self.hub.tell(self.moment, nil)
        #expect(!page.isActive)
    }

    @Test func `a page that does not read is disconnected without affecting others`() throws {
        let pages = [EmbeddedChannel(loop: self.loop), EmbeddedChannel(loop: self.loop)]
        for page in pages {
            try page.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            #expect(self.hub.add(page))
        }
        self.hub.tell(self.moment, nil)
        for page in pages { _ = try Self.text(page) }
        pages[0].isWritable = false
        self.hub.tell(self.moment(records: 1), nil)
        #expect(!pages[0].isActive)
        #expect(try Self.text(pages[0]) == "")
        #expect(try Self.text(pages[1]).hasPrefix("event: changed\n"))
    }

    @Test func `the number of event streams is limited`() throws {
        for _ in 0..<3 {
            let page = EmbeddedChannel(loop: self.loop)
            try page.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            #expect(self.hub.add(page))
        }
        let late = EmbeddedChannel(loop: self.loop)
        #expect(!self.hub.add(late))
    }
}
