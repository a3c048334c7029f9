import GateWire
import NIOCore

/// Methods that discard request bodies after the response.
extension HTTP2Connection {
    /// Receives the rest of a request body within the limits, and resets the stream if the limits are exceeded.
    ///
    /// `passOver` discards the bytes.
    func readAway(_ stream: HTTP2Stream) {
        guard self.context != nil else { return }
        if self.closedStreams.unfinished.count >= Self.maxStreams,
            let oldest = self.closedStreams.unfinished.oldest
        {
            self.endDiscarding(oldest, .budget)
        }
        let limits = self.loop.settings.discardLimits
        let getsRoom = stream.isReadAway
        self.closedStreams.unfinished[stream.id] = UnfinishedRequests.Entry(
            length: stream.announcedLength,
            window: stream.receiveWindow,
            left: limits.bytes,
            getsRoom: getsRoom,
            end: self.loop.now + limits.time,
            deadline: self.loop.now
                + (getsRoom
                    ? Swift.min(limits.time, self.loop.settings.timeouts.linger)
                    : UnfinishedRequests.resetDelay),
            client: getsRoom ? stream.client.discardClient : nil
        )
        self.makeRoom(of: stream.id)
        self.watchDiscarding()
    }

    /// Counts discarded bytes of a request body.
    func discarded(_ count: Int) {
        self.loop.counters.discardedBytes += UInt64(count)
    }

    /// Counts discarded bytes on a stream, and increases the window of the stream if the limits permit.
    func discarded(_ count: Int, of stream: UInt32) {
        self.discarded(count)
        guard var entry = self.closedStreams.unfinished[stream], entry.getsRoom else { return }
        entry.deadline = Swift.min(
            entry.end,
            self.loop.now + self.loop.settings.timeouts.linger
        )
        self.closedStreams.unfinished[stream] = entry
        self.makeRoom(of: stream)
    }

    private func makeRoom(of stream: UInt32) {
        guard var entry = self.closedStreams.unfinished[stream], entry.needsRoom else { return }
        if let increment = entry.window.take() {
            if let cut = self.cut(of: &entry, increment) {
                entry.getsRoom = false
                entry.deadline = self.loop.now + UnfinishedRequests.resetDelay
                self.loop.counters.countCut(cut)
            } else {
                self.writeWindowUpdate(stream, increment: increment)
            }
        }
        self.closedStreams.unfinished[stream] = entry
    }

    /// Returns the reason not to increase the window, or `nil` if the limits permit the increase.
    private func cut(of entry: inout UnfinishedRequests.Entry, _ increment: Int) -> DiscardCut? {
        guard UInt64(increment) <= entry.left else { return .size }
        entry.left -= UInt64(increment)
        let mayGoOn =
            self.budgets.discards.charge(increment, at: self.loop.now)
            && self.clients.discardBudget.take(increment, for: entry.client)
        return mayGoOn ? nil : .budget
    }

    /// Schedules a check that resets the streams whose deadlines have passed.
    ///
    /// The check runs every `resetDelay` while there are incomplete bodies.
    private func watchDiscarding() {
        guard self.closedStreams.unfinished.beginWatch() else { return }
        self.eventLoop.assumeIsolated().scheduleTask(in: UnfinishedRequests.resetDelay) {
            self.closedStreams.unfinished.endWatch()
            guard !self.isClosing else { return }
            for stream in self.closedStreams.unfinished.overdue(at: self.loop.readClock()) {
                self.endDiscarding(stream, .time)
            }
            self.watchDiscarding()
            self.becomeIdleIfEmpty()
        }
    }

    /// Resets a stream, and counts `cut` unless another reason has already been counted.
    private func endDiscarding(_ stream: UInt32, _ cut: DiscardCut) {
        if self.closedStreams.unfinished[stream]?.getsRoom == true {
            self.loop.counters.countCut(cut)
        }
        self.writeReset(stream, .noError)
        self.flush()
    }
}

extension HTTP2Stream {
    /// Whether the rest of the body is discarded after the response.
    ///
    /// gRPC calls and WebSockets might never end, and their clients can read a response at any time.
    fileprivate var isReadAway: Bool {
        switch self.request {
        case .length, .any: !self.client.request.isCall
        case .ended, .offered, .tunnel: false
        }
    }
}
