import NIOCore

/// Opening connections.
extension UpstreamPool {
    typealias Done = (Result<UpstreamConnection, ConnectError>) -> Void

    /// Opens an HTTP/1.1 connection.
    func connectExclusive(to member: Member, _ done: @escaping Done) {
        self.connect(member.address, .http1).assumeIsolated().whenComplete { result in
            switch result {
            case .success(.exclusive(let connection)):
                connection.member = member
                done(.success(connection))
            case .success(.shared(let connection)):
                // This should not happen: a backend cannot select a protocol that was not offered.
                connection.shutDown()
                done(.failure(ConnectError(cause: ChannelError.eof)))
            case .failure(let error):
                self.connectFailed(member, error)
                done(.failure(ConnectError(cause: error)))
            }
        }
    }

    /// Waits for capacity on an HTTP/2 connection, and opens connections if necessary.
    func connectShared(to member: Member, _ done: @escaping Done) {
        member.shared.wait(done)
        if member.shared.connections.contains(where: \.hasRoom) {
            self.eventLoop.assumeIsolated().execute { self.serveWaiting(of: member) }
        } else {
            self.openShared(to: member)
        }
    }

    /// Serves the waiting requests after a connection has been opened or has capacity again.
    func serveWaiting(of member: Member) {
        while let (waiter, upstream) = member.shared.takeWaiting() { waiter(.success(upstream)) }
        self.openShared(to: member)
    }

    /// Opens as many connections as the waiting requests are likely to need.
    private func openShared(to member: Member) {
        while member.shared.beginsOpening() {
            let offer = member.address.target.speaks
            self.connect(member.address, offer).assumeIsolated().whenComplete { result in
                switch result {
                case .success(.shared(let connection)): self.opened(connection, to: member)
                case .success(.exclusive(let connection)): self.opened(connection, to: member)
                case .failure(let error):
                    self.connectFailed(member, error)
                    for waiter in member.shared.openingFailed() {
                        waiter(.failure(ConnectError(cause: error)))
                    }
                }
            }
        }
    }

    private func opened(_ connection: UpstreamHTTP2Connection, to member: Member) {
        connection.member = member
        member.isShared = true
        member.shared.opened(connection)
        self.serveWaiting(of: member)
    }

    /// Gives each waiting request its own connection, because the backend has selected HTTP/1.1.
    private func opened(_ connection: UpstreamConnection, to member: Member) {
        connection.member = member
        member.isShared = false
        let waiting = member.shared.openedExclusive()
        guard let first = waiting.first else { return connection.close() }
        first(.success(connection))
        for waiter in waiting.dropFirst() { self.connectExclusive(to: member, waiter) }
    }
}
