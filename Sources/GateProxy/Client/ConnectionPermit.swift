/// The permit of a connection among those of its client.
final class ConnectionPermit {
    private let client: ClientNetwork
    /// `nil` once the permit is free, or another's.
    private var limit: AddressLimit?

    private init(_ client: ClientNetwork, _ limit: AddressLimit) {
        self.client = client
        self.limit = limit
    }

    /// Takes a permit; `nil` if the client has as many connections as it may.
    static func take(for client: ClientNetwork, in limit: AddressLimit) -> ConnectionPermit? {
        limit.enter(client) ? ConnectionPermit(client, limit) : nil
    }

    /// Makes it free, once.
    func leave() {
        self.limit.take()?.leave(self.client)
    }

    /// The same permit for whoever holds the connection from now on.
    func moved() -> ConnectionPermit? {
        self.limit.take().map { ConnectionPermit(self.client, $0) }
    }
}

@available(*, unavailable)
extension ConnectionPermit: Sendable {}
