import GateWire
import NIOCore

/// The bytes that the client sends behind a head.
extension ClientConnection {
    /// Why a body is refused by what is there of it; `nil`: it is not.
    var refusalOfBody: GateAnswer? {
        guard case .chunked(var scanner) = self.body, self.inbound.readableBytes > 0 else {
            return nil
        }
        var count: UInt64 = 0
        let inbound = self.inbound
        let progress = scanner.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: self.rules.table,
            onData: { start, end in count += UInt64(end - start) }
        )
        if self.exceedsLimit(count) { return .contentTooLarge }
        if case .malformed(let fault) = progress { return GateAnswer(fault) }
        return nil
    }

    private func exceedsLimit(_ count: UInt64) -> Bool {
        self.loop.settings.maxBodyBytes.map { count > $0 } ?? false
    }

    /// The next piece of the request's body as HTTP/1.1 frames it, empty if none is there; `nil`: it was malformed
    /// and the request is refused.
    func takeBody() -> ByteBuffer? {
        let inbound = self.inbound
        var extensions: [Range<Int>] = []
        let progress = self.body.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: self.rules.table,
            onData: { start, end in self.request.bodyBytes += UInt64(end - start) },
            onExtension: { start, end in extensions.append(start..<end) }
        )
        guard let consumed = self.take(progress) else { return nil }
        return inbound.slice(of: consumed, without: extensions) ?? ByteBuffer()
    }

    /// Uses up what was read of the body.
    ///
    /// - Returns: how many bytes; `nil`: the request is refused.
    private func take(_ progress: ChunkedScanner.Progress) -> Int? {
        if self.inbound.readableBytes > 0 { self.request.awaitsContinue = false }
        // Refused while the request still counts as unfinished: what follows on this connection
        // must never be taken for another request.
        if self.exceedsLimit(self.request.bodyBytes) {
            self.fail(.contentTooLarge)
            return nil
        }
        switch progress {
        case .more where self.inputClosed:
            self.dropUpstream()
            self.closeAfterWriting()
            return nil
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return consumed
        case .end(let consumed):
            _ = self.exchange.requestEnded()
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return consumed
        case .malformed(let fault):
            self.fail(GateAnswer(fault))
            return nil
        }
    }

    /// - Returns: whether there may be more to read.
    func passBody() -> Bool {
        guard let upstream = self.upstream else { return false }
        if case .stream(let stream) = self.transport {
            self.passContent(of: stream, to: upstream)
            return false
        }
        guard self.inbound.readableBytes > 0 else { return false }
        if self.request.passesContent {
            guard let content = self.takeContent() else { return false }
            self.request.sent?.append(content)
            self.write(content, isLast: self.requestHasEnded, to: upstream)
        } else {
            guard let piece = self.takeBody(), piece.readableBytes > 0 else { return false }
            upstream.write(piece)
        }
        self.renewDeadline()
        guard !self.requestHasEnded else { return true }
        if self.lacksMuch { self.readMuch() }
        return false
    }

    /// The next piece of the request's body without the framing of HTTP/1.1; `nil`: it was malformed and the request is
    /// refused.
    private func takeContent() -> ByteBuffer? {
        guard case .chunked = self.body else { return self.takeBody() }
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        var content = ByteBuffer()
        let progress = self.body.consume(
            bytes,
            trailerFields: self.rules.table,
            onData: { start, end in
                self.request.bodyBytes += UInt64(end - start)
                content.write(bytes, from: start, to: end)
            },
            onTrailer: { line in
                var trailers = self.request.trailers.take() ?? HeaderList()
                trailers.append(line, in: bytes)
                self.request.trailers = trailers
            }
        )
        return self.take(progress) == nil ? nil : content
    }

    /// Reads a body away that has come whole and of which nobody was sent the end: the client has said all, and may go on.
    func discardWholeBody() {
        guard !self.transport.isStream, !self.requestHasEnded else { return }
        let inbound = self.inbound
        let progress = self.body.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: self.rules.table
        )
        guard case .end(let consumed) = progress else { return }
        self.inbound.moveReaderIndex(forwardBy: consumed)
        _ = self.exchange.requestEnded()
    }

    /// Passes content of a client of HTTP/2, whose frames tell the end.
    private func passContent(of stream: HTTP2Stream, to upstream: UpstreamConnection) {
        let isLast = stream.hasEndedRequest || self.isCompleteFor(upstream, from: stream)
        // Single bytes of a client become one piece while the backend takes nothing.
        guard isLast || self.inbound.readableBytes > 0 && upstream.isWritable else { return }
        self.request.awaitsContinue = false
        let content = self.inbound
        self.inbound = self.loop.emptyBuffer
        self.request.bodyBytes += UInt64(content.readableBytes)
        guard !self.exceedsLimit(self.request.bodyBytes) else { return self.fail(.contentTooLarge) }
        if isLast { _ = self.exchange.requestEnded() }
        self.request.sent?.append(content)
        self.write(content, isLast: isLast, to: upstream)
        self.renewDeadline()
    }

    /// Whether the request is complete for a backend of HTTP/1.1, which has no place for trailers behind a body whose
    /// length was announced (RFC 9112 6.3).
    private func isCompleteFor(_ upstream: UpstreamConnection, from stream: HTTP2Stream) -> Bool {
        guard case .channel = upstream.transport else { return false }
        return stream.announcedLength?.isComplete ?? false
    }

    /// Writes content as the backend's version of HTTP frames it.
    ///
    /// `isLast`: whether nothing comes behind it but trailers, if there are any.
    func write(_ content: ByteBuffer, isLast: Bool, to upstream: UpstreamConnection) {
        if case .stream(let stream) = upstream.transport {
            return isLast
                ? stream.end(with: content, trailers: self.request.trailers) : stream.write(content)
        }
        guard case .chunked = self.body else {
            if content.readableBytes > 0 { upstream.write(content) }
            return
        }
        let trailers = isLast ? self.request.trailers : nil
        var chunk = self.loop.takeBuffer()
        chunk.writeChunk(content, isLast: isLast && trailers == nil)
        if let trailers { chunk.writeLastChunk(trailers: trailers) }
        upstream.write(chunk)
        self.loop.giveBack(chunk)
    }

    /// Whether much of the body is still to come: of one whose length is not known, if much of it has come.
    private var lacksMuch: Bool {
        if case .length(let remaining) = self.body { return remaining >= LargeBuffers.threshold }
        return self.request.bodyBytes >= LargeBuffers.threshold
    }

    /// Reads the rest of an upload in large pieces.
    ///
    /// Each piece costs a read, a write, and for both kernels one segment more than it fills.
    private func readMuch() {
        guard !self.request.readsMuch, !self.origin.isSecure,
            case .channel(let output) = self.transport
        else { return }
        self.request.readsMuch = true
        let buffers = NIOLoopBound(self.loop.largeBuffers, eventLoop: self.loop.eventLoop)
        let allocator = LargeReadAllocator(buffers, expectsMuch: true)
        let options = output.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: allocator)
        // The channel keeps as many buffers as it may read in one turn.
        try? options?.setOption(.maxMessagesPerRead, value: 1)
    }

    /// Reads as it did before an upload.
    func readLittle() {
        guard self.request.readsMuch, case .channel(let output) = self.transport else { return }
        let options = output.context.channel.syncOptions
        try? options?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
        try? options?.setOption(.maxMessagesPerRead, value: Self.readsInTurn)
    }

    /// NIO's own number of reads in one turn.
    private static let readsInTurn: UInt = 4

    /// The backend takes more of the request: from now on it is up to the client again.
    func upstreamBecameWritable() {
        if !self.requestHasEnded { self.renewDeadline() }
        self.settle()
    }

    /// Whether it is the backend that the request waits for, and it takes some of it now and then.
    ///
    /// The client cannot go on meanwhile, and a slow backend is not a silent one.
    var backendTakesOn: Bool {
        guard case .forwarding(let forwarding) = self.exchange, let upstream = self.upstream,
            forwarding.requestEnded ? upstream.hasUnsent : !upstream.isWritable
        else { return false }
        return upstream.takesOn()
    }

    /// Whether the client has sent the whole request.
    var requestHasEnded: Bool {
        if case .forwarding(let forwarding) = self.exchange { return forwarding.requestEnded }
        return true
    }

    func passTunnel() -> Bool {
        guard let upstream = self.upstream,
            let bytes = self.inbound.readSlice(length: self.inbound.readableBytes),
            bytes.readableBytes > 0
        else { return false }
        self.renewDeadline()
        self.passToTunnel(bytes, upstream)
        return false
    }

    /// Discards the rest of a small body, and then writes the response that waited for it.
    ///
    /// - Returns: Whether there may be more to read.
    func awaitBody() -> Bool {
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        let limits = self.loop.settings.discardLimits
        switch self.body.consume(bytes, trailerFields: self.rules.table) {
        case .more where self.inputClosed:
            self.answerAtLast(keepsClient: false)
            return false
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.loop.counters.discardedBytes += UInt64(consumed)
            guard self.exchange.awaited(bytes: consumed, limits: limits) == .answerAndLinger else {
                return false
            }
            self.answerAtLast(keepsClient: false)
            return true
        case .end(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.loop.counters.discardedBytes += UInt64(consumed)
            guard self.exchange.requestEnded() == .answer else { return false }
            self.answerAtLast(keepsClient: self.mayGoOn)
            return true
        case .malformed:
            // The start of the next request is unknown.
            self.answerAtLast(keepsClient: false)
            return true
        }
    }

    /// Discards what a client sends after the last response.
    func discardAll() -> Bool {
        let count = self.inbound.readableBytes
        guard count > 0 else { return false }
        self.inbound = ByteBuffer()
        if case .rest = self.exchange.wait { self.renewDeadline() }
        let cut: DiscardCut? =
            if self.exchange.discarded(bytes: count) == .close {
                .size
            } else {
                self.mayDiscard(count) ? nil : .budget
            }
        if let cut {
            self.loop.counters.countCut(cut)
            self.abort()
        } else {
            self.loop.counters.discardedBytes += UInt64(count)
        }
        return false
    }

    /// The client whose budget a refused body is charged to; `nil` if a trusted proxy does not forward its address.
    var discardClient: ClientNetwork? {
        self.origin.isTrusted
            ? self.request.forwardedClient : ClientNetwork(self.origin.address)
    }

    /// Charges discarded bytes, and returns whether the budget permits them.
    ///
    /// The first bytes are free: the client may have sent them before it could receive the response.
    private func mayDiscard(_ count: Int) -> Bool {
        self.discardRoom -= count
        while self.discardRoom < 0 {
            guard self.clients.discardBudget.take(DiscardBudget.lot, for: self.discardClient)
            else { return false }
            self.discardRoom += DiscardBudget.lot
        }
        return true
    }
}
