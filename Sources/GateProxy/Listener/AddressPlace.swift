/// One connection's place among those of its client.
final class AddressPlace {
    private let client: ClientNetwork
    /// `nil` once the place is free, or another's.
    private var limit: AddressLimit?

    private init(_ client: ClientNetwork, _ limit: AddressLimit) {
        self.client = client
        self.limit = limit
    }

    /// Takes a place; `nil` if the client has as many connections as it may.
    static func take(for client: ClientNetwork, in limit: AddressLimit) -> AddressPlace? {
        limit.enter(client) ? AddressPlace(client, limit) : nil
    }

    /// Makes it free, once.
    func leave() {
        self.limit.take()?.leave(self.client)
    }

    /// The same place for whoever holds the connection from now on.
    func moved() -> AddressPlace? {
        self.limit.take().map { AddressPlace(self.client, $0) }
    }
}

@available(*, unavailable)
extension AddressPlace: Sendable {}
