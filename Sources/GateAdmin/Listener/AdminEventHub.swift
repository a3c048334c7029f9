private import FoundationEssentials
internal import NIOCore
internal import NIOHTTP1

/// The event streams of open pages (Server-Sent Events, HTML Living Standard section 9.2), all on the
/// event loop of the admin listener.
///
/// Events are not buffered for a slow page: its stream is closed, and the page loads the whole
/// state when it reconnects. While no stream is open, the state of the gate is not checked.
final class AdminEventHub {
    /// The number of checks of the state after which figures are collected from the event loops.
    private static let checksPerFigures = 4
    /// The number of checks without an event after which a heartbeat comment is sent.
    private static let checksPerHeartbeat = 30
    /// The number of checks, over about one hour, after which a page must reconnect with a token that is valid at
    /// that time.
    private static let checksPerStream = 7_200

    private struct Listener {
        let channel: any Channel
        /// The number of checks since the stream started.
        var age = 0
        var silence = 0
    }

    private let endpoints: AdminEndpoints
    private let eventLoop: any EventLoop
    private let interval: TimeAmount
    private let limit: Int
    private var listeners: [ObjectIdentifier: Listener] = [:]
    private var watch: RepeatedTask?
    private var isLooking = false
    private var looks = 0
    private var moment: AdminSnapshot?
    private var figures: AdminFigures?

    /// Creates a hub without streams.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints whose state is checked.
    ///   - eventLoop: The event loop of all channels.
    ///   - interval: The time between two checks.
    ///   - limit: The maximum number of streams.
    init(
        _ endpoints: AdminEndpoints,
        on eventLoop: any EventLoop,
        interval: TimeAmount,
        limit: Int
    ) {
        self.endpoints = endpoints
        self.eventLoop = eventLoop
        self.interval = interval
        self.limit = limit
    }

    /// Starts an event stream for a page.
    ///
    /// - Returns: Whether the stream was started; false if the maximum number of streams is open.
    func add(_ channel: any Channel) -> Bool {
        guard self.listeners.count < self.limit else { return false }
        self.listeners[ObjectIdentifier(channel)] = Listener(channel: channel)
        let fields: HTTPHeaders = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff", "X-Accel-Buffering": "no",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        self.send("retry: 2000\n\n", to: channel)
        // The reset makes the next check send the figures, which a new page does not have yet.
        self.figures = nil
        let hub = NIOLoopBound(self, eventLoop: self.eventLoop)
        channel.closeFuture.whenComplete { _ in hub.value.remove(channel) }
        if self.watch == nil {
            self.watch = self.eventLoop.scheduleRepeatedTask(
                initialDelay: .zero,
                delay: self.interval
            ) { _ in hub.value.look() }
        }
        return true
    }

    private func remove(_ channel: any Channel) {
        self.listeners[ObjectIdentifier(channel)] = nil
        guard self.listeners.isEmpty else { return }
        self.watch?.cancel()
        (self.watch, self.moment) = (nil, nil)
    }

    /// Checks the state for changes, unless the previous check is still running.
    private func look() {
        guard !self.isLooking else { return }
        self.isLooking = true
        self.looks += 1
        let wantsFigures = self.figures == nil || self.looks % Self.checksPerFigures == 0
        let endpoints = self.endpoints
        let hub = NIOLoopBound(self, eventLoop: self.eventLoop)
        self.eventLoop.makeFutureWithTask {
            (await endpoints.moment(), wantsFigures ? await endpoints.figures() : nil)
        }.whenSuccess { moment, figures in
            hub.value.isLooking = false
            hub.value.tell(moment, figures)
        }
    }

    func tell(_ moment: AdminSnapshot, _ figures: AdminFigures?) {
        let parts = self.moment.map { moment.changes(since: $0) } ?? []
        self.moment = moment
        if !parts.isEmpty { self.sendAll("changed", ["parts": parts]) }
        if let figures, figures != self.figures {
            self.figures = figures
            self.sendAll("figures", figures)
        }
        for (key, listener) in self.listeners {
            self.listeners[key]?.age += 1
            self.listeners[key]?.silence += 1
            if listener.age >= Self.checksPerStream {
                listener.channel.close(promise: nil)
            } else if listener.silence >= Self.checksPerHeartbeat {
                self.send(":\n\n", to: listener.channel)
            }
        }
    }

    private func sendAll(_ event: String, _ content: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let data = try? encoder.encode(content) else { return }
        let text = "event: \(event)\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
        for listener in self.listeners.values { self.send(text, to: listener.channel) }
    }

    private func send(_ text: String, to channel: any Channel) {
        // Unread bytes are buffered in the kernel, and then in the channel up to its high watermark.
        guard channel.isWritable else { return channel.close(promise: nil) }
        self.listeners[ObjectIdentifier(channel)]?.silence = 0
        let body = channel.allocator.buffer(string: text)
        channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(body)), promise: nil)
    }
}

@available(*, unavailable)
extension AdminEventHub: Sendable {}
