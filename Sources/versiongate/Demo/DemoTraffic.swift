import ArgumentParser
import GateProxy
import NIOCore
import NIOHTTP1
import NIOPosix

/// Simulated clients for trying out the gate: current and old builds of three apps.
struct DemoTraffic: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Sends requests from old and current builds of three apps to a local gate."
    )

    @Option(help: "The address of the gate, HOST:PORT on this machine.")
    var gate = "127.0.0.1:8080"
    @Option(help: "Requests per second, 1 to 50.")
    var rate = 12
    @Option(help: "The number of requests to send (default: no limit).")
    var requests: Int?

    /// The allowed hosts; other machines are excluded, because the command could put load on them by mistake.
    private static let places = ["127.0.0.1", "::1", "localhost"]
    /// The number of failed attempts, one per second, after which the command exits.
    private static let patience = 30
    /// The number of requests sent without a pause at startup, so that the page has data to show.
    private static let beginning = 150
    /// The simulated devices of all apps.
    private static let devices = DemoApp.all.flatMap { app in
        (0..<app.devices).map { (app, $0) }
    }

    func run() async throws {
        guard let endpoint = Endpoint(self.gate), Self.places.contains(endpoint.host) else {
            throw ValidationError("--gate '\(self.gate)': expected HOST:PORT on this machine")
        }
        guard 1...50 ~= self.rate else {
            throw ValidationError("--rate '\(self.rate)': expected 1 to 50")
        }
        var sent = 0
        var failures = 0
        while sent < self.requests ?? .max, !Task.isCancelled {
            do {
                try await Self.send(Self.request(), to: endpoint)
                sent += 1
                failures = 0
            } catch {
                failures += 1
                guard failures < Self.patience else { return }
                try await Task.sleep(for: .seconds(1))
                continue
            }
            if sent > Self.beginning {
                try await Task.sleep(for: .seconds(1) / self.rate)
            }
        }
    }

    /// Returns a request from a random device.
    private static func request() -> HTTPRequestHead {
        let (app, device) = Self.devices[Int.random(in: Self.devices.indices)]
        let release = app.release(on: device)
        return HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: app.paths.randomElement() ?? "/",
            headers: [
                "Host": "demo.example", "X-App-Id": app.id, "X-App-Platform": app.platform,
                "X-App-Version": release.version, "X-App-Build": "\(release.build)",
                "X-Device-Id": app.deviceID(device), "Accept-Language": "en",
            ]
        )
    }

    private static func send(_ head: HTTPRequestHead, to endpoint: Endpoint) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(2))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(ResponseDiscarder())
                }
            }
            .connect(host: endpoint.host, port: endpoint.port)
            .get()
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        try await channel.closeFuture.get()
    }
}

/// Closes the connection after the response, or after five seconds.
private final class ResponseDiscarder: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private var deadline: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        self.deadline = context.eventLoop.scheduleTask(in: .seconds(5)) {
            channel.close(promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = self.unwrapInboundIn(data) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
    }
}
