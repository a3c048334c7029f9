import GatePolicy
import NIOCore

/// The known addresses of all targets: literal addresses, and the results of the last successful lookups.
struct UpstreamDirectory: Equatable {
    private struct Entry: Equatable {
        let target: UpstreamTarget
        /// The name to look up, or `nil` for a literal address.
        let name: Endpoint?
        var sockets: [SocketAddress]
        /// The error of the last lookup, or `nil` if it succeeded.
        var failure: LookupFailure?
    }

    private var entries: [Entry]

    init(_ targets: [UpstreamTarget]) {
        self.entries = targets.map { target in
            let literal = target.literalAddress
            return Entry(
                target: target,
                name: literal == nil ? target.endpoint : nil,
                sockets: literal.map { [$0] } ?? []
            )
        }
    }

    /// All addresses without duplicates, in the order of their targets.
    var addresses: [UpstreamAddress] {
        self.entries.flatMap { entry in
            entry.sockets.map { UpstreamAddress(target: entry.target, socket: $0) }
        }
        .uniqued()
    }

    /// The names to look up, without duplicates.
    var names: [Endpoint] {
        self.entries.compactMap(\.name).uniqued()
    }

    /// Whether a target has no address yet, so that the next lookup is urgent.
    var isIncomplete: Bool {
        self.entries.contains { $0.sockets.isEmpty }
    }

    enum LookupAction: Equatable {
        /// The addresses have changed, and must be published.
        case publish
        /// The lookup failed with a new error. The addresses of the last successful lookup remain valid.
        case report(LookupFailure, hasAddresses: Bool)
        case doNothing
    }

    /// Records the result of a lookup, and returns the action to take.
    mutating func lookedUp(
        _ name: Endpoint,
        _ result: Result<[SocketAddress], LookupFailure>
    ) -> LookupAction {
        var action = LookupAction.doNothing
        for index in self.entries.indices where self.entries[index].name == name {
            switch result {
            case .success(let sockets):
                self.entries[index].failure = nil
                // The order of the addresses varies between lookups and has no meaning.
                if Set(sockets) != Set(self.entries[index].sockets) { action = .publish }
                self.entries[index].sockets = sockets
            case .failure(let failure):
                let isNews = self.entries[index].failure != failure
                self.entries[index].failure = failure
                guard isNews else { continue }
                action = .report(failure, hasAddresses: !self.entries[index].sockets.isEmpty)
            }
        }
        return action
    }
}
