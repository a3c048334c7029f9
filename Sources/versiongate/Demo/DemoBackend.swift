import ArgumentParser
import FoundationEssentials
import GateProxy
import NIOCore
import NIOHTTP1
import NIOPosix

/// A demo backend that echoes each request as JSON.
struct DemoBackend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs a backend that returns each request it receives as JSON."
    )

    @Option(help: "The address to listen on, HOST:PORT.")
    var listen = "127.0.0.1:8081"

    func run() async throws {
        guard let endpoint = Endpoint(self.listen) else {
            throw ValidationError("--listen '\(self.listen)': expected HOST:PORT")
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(EchoHandler())
                }
            }
            .bind(host: endpoint.host, port: endpoint.port)
            .get()
        StandardError.write(
            "demo backend on http://\(endpoint.host):\(channel.localAddress?.port ?? endpoint.port)"
        )
        try await channel.closeFuture.get()
    }
}

/// Responds to each request with its method, target, header fields and the size of its body.
private final class EchoHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Echo: Encodable {
        var method: String
        var target: String
        var headers: [String: String]
        var bodyBytes: Int
    }

    private var head: HTTPRequestHead?
    private var bodyBytes = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            self.bodyBytes = 0
        case .body(let body):
            self.bodyBytes += body.readableBytes
        case .end:
            guard let head = self.head else { return }
            self.answer(head, context: context)
        }
    }

    private func answer(_ request: HTTPRequestHead, context: ChannelHandlerContext) {
        let echo = Echo(
            method: request.method.rawValue,
            target: request.uri,
            headers: Dictionary(request.headers.map { ($0.name, $0.value) }) { "\($0), \($1)" },
            bodyBytes: self.bodyBytes
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let body = (try? encoder.encode(echo)) ?? Data()
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": "\(body.count + 1)",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        var buffer = context.channel.allocator.buffer(capacity: body.count + 1)
        buffer.writeBytes(body)
        buffer.writeInteger(UInt8(ascii: "\n"))
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }
}
