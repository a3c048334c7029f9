import GateWire
import NIOCore

/// The bodies that still come when their requests have been answered.
extension HTTP2Connection {
    /// Reads the rest of a request away, within limits, and then tells the client that it need not send it.
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
                    : UnfinishedRequests.lastMoment),
            client: getsRoom ? stream.client.discardClient : nil
        )
        self.makeRoom(of: stream.id)
        self.watchDiscarding()
    }

    /// Counts bytes of a body that were thrown away.
    func discarded(_ count: Int) {
        self.loop.counters.discardedBytes += UInt64(count)
    }

    /// Takes bytes of a request that was answered already, and lets the client send more.
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
                entry.deadline = self.loop.now + UnfinishedRequests.lastMoment
                self.loop.counters.countCut(cut)
            } else {
                self.readLittle()
                self.writeWindowUpdate(stream, increment: increment)
            }
        }
        self.closedStreams.unfinished[stream] = entry
    }

    /// Why a body gets no more room; `nil`: it does.
    private func cut(of entry: inout UnfinishedRequests.Entry, _ increment: Int) -> DiscardCut? {
        guard UInt64(increment) <= entry.left else { return .size }
        entry.left -= UInt64(increment)
        let mayGoOn =
            self.discards.charge(increment, at: self.loop.now)
            && self.clients.discardBudget.take(increment, for: entry.client)
        return mayGoOn ? nil : .budget
    }

    /// Reads one piece in each turn of the loop, so that bodies which are thrown away hold up nobody.
    private func readLittle() {
        guard !self.readsLittle else { return }
        self.readsLittle = true
        self.setReads(1)
    }

    /// Reads as before, if no body is left that is thrown away.
    func readAsBefore() {
        guard self.readsLittle, self.closedStreams.unfinished.isEmpty else { return }
        self.readsLittle = false
        self.setReads(ClientConnection.readsInTurn)
    }

    private func setReads(_ count: UInt) {
        let options = self.context?.channel.syncOptions
        try? options?.setOption(.maxMessagesPerRead, value: count)
    }

    /// Looks now and then whose time is over, as long as there is a body that still comes.
    private func watchDiscarding() {
        guard !self.watchesDiscarding, !self.closedStreams.unfinished.isEmpty else { return }
        self.watchesDiscarding = true
        self.eventLoop.assumeIsolated().scheduleTask(in: UnfinishedRequests.lastMoment) {
            self.watchesDiscarding = false
            guard !self.isClosing else { return }
            for stream in self.closedStreams.unfinished.overdue(at: self.loop.readClock()) {
                self.endDiscarding(stream, .time)
            }
            self.watchDiscarding()
            self.readAsBefore()
            self.becomeIdleIfEmpty()
        }
    }

    /// `cut`: what is counted if nothing was counted for it yet.
    private func endDiscarding(_ stream: UInt32, _ cut: DiscardCut) {
        if self.closedStreams.unfinished[stream]?.getsRoom == true {
            self.loop.counters.countCut(cut)
        }
        self.writeReset(stream, .noError)
        self.flush()
    }
}

extension HTTP2Stream {
    /// Whether the rest of the request is read away when it is answered.
    ///
    /// Calls of gRPC and WebSockets may have no end, and their clients read an answer at any time.
    fileprivate var isReadAway: Bool {
        switch self.request {
        case .length, .any: !self.client.request.isCall
        case .ended, .offered, .tunnel: false
        }
    }
}
