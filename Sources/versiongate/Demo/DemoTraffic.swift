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

    /// The allowed hosts: a command started by mistake must not put load on another machine.
    private static let places = ["127.0.0.1", "::1", "localhost"]
    /// The number of failed attempts, one per second, after which the command exits.
    private static let patience = 30
    /// The number of requests sent without a pause at startup, so that the page has data to show.
    private static let beginning = 150

    func run() async throws {
        guard let endpoint = Endpoint(self.gate), Self.places.contains(endpoint.host) else {
            throw ValidationError("--gate '\(self.gate)': expected HOST:PORT on this machine")
        }
        guard 1...50 ~= self.rate else {
            throw ValidationError("--rate '\(self.rate)': expected 1 to 50")
        }
        var generator = SystemRandomNumberGenerator()
        var sent = 0
        var failures = 0
        while sent < self.requests ?? .max, !Task.isCancelled {
            do {
                let visitor = DemoClient.random(using: &generator)
                try await Self.send(visitor.request(using: &generator), to: endpoint)
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

/// A simulated device and the build that it runs.
private struct DemoClient {
    private let app: DemoApp
    private let device: Int

    static func random(using generator: inout some RandomNumberGenerator) -> DemoClient {
        // Apps are chosen in proportion to their number of devices.
        var number = Int.random(in: 0..<DemoApp.all.map(\.devices).reduce(0, +), using: &generator)
        for app in DemoApp.all {
            guard number >= app.devices else { return DemoClient(app: app, device: number) }
            number -= app.devices
        }
        preconditionFailure("the number is below the sum of all devices")
    }

    func request(using generator: inout some RandomNumberGenerator) -> HTTPRequestHead {
        let path = self.app.paths.randomElement(using: &generator) ?? "/"
        let release = self.app.release(on: self.device)
        return HTTPRequestHead(
            version: .http1_1,
            method: .GET,
            uri: path,
            headers: [
                "Host": "demo.example", "X-App-Id": self.app.id,
                "X-App-Platform": self.app.platform, "X-App-Version": release.version,
                "X-App-Build": "\(release.build)",
                "X-Device-Id": self.app.deviceID(self.device),
                "Accept-Language": "en",
            ]
        )
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
