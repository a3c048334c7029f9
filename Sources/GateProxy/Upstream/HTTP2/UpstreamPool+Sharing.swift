import NIOCore

/// How connections are opened.
extension UpstreamPool {
    typealias Done = (Result<UpstreamConnection, ConnectError>) -> Void

    /// Opens a connection of HTTP/1.1.
    func connectAlone(to member: Member, _ done: @escaping Done) {
        self.connect(member.address, .http1).assumeIsolated().whenComplete { result in
            switch result {
            case .success(.exclusive(let connection)):
                connection.member = member
                done(.success(connection))
            case .success(.shared(let connection)):
                // A protocol that was not offered cannot have been chosen.
                connection.shutDown()
                done(.failure(ConnectError(cause: ChannelError.eof)))
            case .failure(let error):
                self.connectFailed(member, error)
                done(.failure(ConnectError(cause: error)))
            }
        }
    }

    /// Waits for room on an HTTP/2 connection; those that are being opened have room for many.
    func connectTogether(to member: Member, _ done: @escaping Done) {
        member.shared.wait(done)
        if member.shared.connections.contains(where: \.hasRoom) {
            self.eventLoop.assumeIsolated().execute { self.serveWaiting(of: member) }
        } else {
            self.openShared(to: member)
        }
    }

    /// Room was made on a connection, or there is a new one.
    func serveWaiting(of member: Member) {
        while let (waiter, upstream) = member.shared.takeWaiting() { waiter(.success(upstream)) }
        self.openShared(to: member)
    }

    /// Opens as many connections as those that wait are likely to need.
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

    /// The backend has chosen HTTP/1.1: one connection for each request.
    private func opened(_ connection: UpstreamConnection, to member: Member) {
        connection.member = member
        member.isShared = false
        let waiting = member.shared.openedExclusive()
        guard let first = waiting.first else { return connection.close() }
        first(.success(connection))
        for waiter in waiting.dropFirst() { self.connectAlone(to: member, waiter) }
    }
}
