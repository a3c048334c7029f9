import NIOCore

/// The addresses of all targets, as far as they are known: literal ones for ever, those of a name
/// as the last look-up that worked has told them.
struct UpstreamDirectory: Equatable {
    private struct Entry: Equatable {
        let target: UpstreamTarget
        /// The name to look up; `nil`: the address is literal.
        let name: Endpoint?
        var sockets: [SocketAddress]
        /// Why the last look-up failed, if it did.
        var failure: LookupFailure?
    }

    private var entries: [Entry]

    init(_ targets: [UpstreamTarget]) {
        self.entries = targets.map { target in
            let literal = target.literalAddress
            return Entry(
                target: target,
                name: literal == nil ? target.name : nil,
                sockets: literal.map { [$0] } ?? []
            )
        }
    }

    /// Every address once, in the order of the targets.
    var addresses: [UpstreamAddress] {
        var seen: Set<UpstreamAddress> = []
        return self.entries.flatMap { entry in
            entry.sockets.map { UpstreamAddress(target: entry.target, socket: $0) }
        }
        .filter { seen.insert($0).inserted }
    }

    /// The names to look up, each once.
    var names: [Endpoint] {
        var seen: Set<Endpoint> = []
        return self.entries.compactMap(\.name).filter { seen.insert($0).inserted }
    }

    /// Whether a name has no address yet, so that waiting long for the next look-up would hurt.
    var isIncomplete: Bool {
        self.entries.contains { $0.sockets.isEmpty }
    }

    enum LookupAction: Equatable {
        /// The addresses are others now.
        case publish
        /// The last good answer stays, if there was one.
        case report(LookupFailure, hasAddresses: Bool)
        case doNothing
    }

    /// A look-up has ended.
    mutating func lookedUp(
        _ name: Endpoint,
        _ result: Result<[SocketAddress], LookupFailure>
    ) -> LookupAction {
        var action = LookupAction.doNothing
        for index in self.entries.indices where self.entries[index].name == name {
            switch result {
            case .success(let sockets):
                self.entries[index].failure = nil
                // The order of an answer changes with each look-up and says nothing.
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

extension UpstreamTarget {
    /// The name and port to look up.
    fileprivate var name: Endpoint? {
        if case .endpoint(let endpoint) = self.place { return endpoint }
        return nil
    }
}

/// Why a name could not be looked up.
struct LookupFailure: Error, Equatable, CustomStringConvertible {
    let description: String
}
