import GateWire
import NIOCore

/// The bytes that the client sends behind a head.
extension ClientConnection {
    /// The next piece of the request's body, empty if none is there; `nil`: it was malformed and
    /// the request is refused.
    func takeBody() -> ByteBuffer? {
        if self.inbound.readableBytes > 0 { self.request.awaitsContinue = false }
        let inbound = self.inbound
        var extensions: [Range<Int>] = []
        let progress = self.body.consume(
            inbound.readableBytesUInt8Span,
            trailerFields: self.rules.table,
            onData: { start, end in self.request.bodyBytes += UInt64(end - start) },
            onExtension: { start, end in extensions.append(start..<end) }
        )
        // Refused while the request still counts as unfinished: what follows on this connection
        // must never be taken for another request.
        if let limit = self.loop.settings.maxBodyBytes, self.request.bodyBytes > limit {
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
            return inbound.slice(of: consumed, without: extensions) ?? ByteBuffer()
        case .end(let consumed):
            _ = self.exchange.requestEnded()
            self.inbound.moveReaderIndex(forwardBy: consumed)
            return inbound.slice(of: consumed, without: extensions) ?? ByteBuffer()
        case .malformed(let fault):
            self.fail(GateAnswer(fault))
            return nil
        }
    }

    /// - Returns: whether there may be more to read.
    func passBody() -> Bool {
        guard let upstream = self.upstream, self.inbound.readableBytes > 0,
            let piece = self.takeBody(), piece.readableBytes > 0
        else { return false }
        upstream.write(piece)
        self.renewDeadline()
        guard !self.requestHasEnded else { return true }
        if self.lacksMuch { self.readMuch() }
        return false
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

    /// Reads the rest of an answered request away, to the beginning of the next one.
    func discardBody() -> Bool {
        let inbound = self.inbound
        let bytes = inbound.readableBytesUInt8Span
        switch self.body.consume(bytes, trailerFields: self.rules.table) {
        case .more where self.inputClosed:
            self.closeAfterWriting()
            return false
        case .more(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            self.renewDeadline()
            if self.exchange.discarded(bytes: consumed) == .close { self.abort() }
            return false
        case .end(let consumed):
            self.inbound.moveReaderIndex(forwardBy: consumed)
            guard self.exchange.requestEnded() == .next else { return false }
            self.nextRequest()
            return true
        case .malformed:
            self.abort()
            return false
        }
    }

    func discardAll() -> Bool {
        let count = self.inbound.readableBytes
        guard count > 0 else { return false }
        self.inbound = ByteBuffer()
        if case .rest = self.exchange.wait { self.renewDeadline() }
        if self.exchange.discarded(bytes: count) == .close { self.abort() }
        return false
    }
}
