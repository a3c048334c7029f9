internal import GatePolicy

extension Impact {
    /// A change of backend.
    package struct Backends: Sendable, Hashable {
        /// The names of the backends; `nil` for the default backend.
        package let from: String?
        package let to: String?

        package var fromName: String { self.from ?? Route.defaultBackend }
        package var toName: String { self.to ?? Route.defaultBackend }
    }

    /// A version whose clients get another backend.
    package struct MovedVersion: Sendable, Hashable {
        package let version: Version
        package let backends: Backends
    }

    /// The clients that get another backend.
    package struct Moves: Sendable {
        /// The amount that is certain.
        package private(set) var amount = ImpactAmount()
        /// The maximum amount, which includes requests for paths that were not in the rules when the requests were
        /// counted.
        package private(set) var possible = ImpactAmount()
        package private(set) var byBackends: [Backends: ImpactAmount] = [:]
        package private(set) var byVersion: [MovedVersion: ImpactAmount] = [:]

        mutating func add(
            _ figures: CensusFigures,
            _ shares: [Backends: Double],
            possible: Double,
            _ version: Version
        ) {
            self.possible.add(figures, share: possible)
            self.amount.add(figures, share: shares.values.reduce(0, +))
            for (backends, share) in shares {
                self.byBackends[backends, default: ImpactAmount()].add(figures, share: share)
                let key = MovedVersion(version: version, backends: backends)
                self.byVersion[key, default: ImpactAmount()].add(figures, share: share)
            }
        }
    }
}

extension Impact.Backends {
    /// Creates the change of backend for a client; returns `nil` if there is none, or if it is not certain.
    ///
    /// - Parameters:
    ///   - old: The decisions by the old rules in all scopes that the requests may have.
    ///   - new: The decisions by the new rules in these scopes.
    init?(from old: [Decision], to new: [Decision]) {
        guard let first = old.first, let last = new.first,
            first.route?.backend != last.route?.backend,
            old.allSatisfy({ !$0.denies && $0.route?.backend == first.route?.backend }),
            new.allSatisfy({ !$0.denies && $0.route?.backend == last.route?.backend })
        else { return nil }
        self.init(from: first.route?.backend, to: last.route?.backend)
    }

    /// Returns whether the backend may differ for some of the requests.
    static func mayDiffer(from old: [Decision], to new: [Decision]) -> Bool {
        old.contains { before in
            !before.denies
                && new.contains { !$0.denies && $0.route?.backend != before.route?.backend }
        }
    }
}
