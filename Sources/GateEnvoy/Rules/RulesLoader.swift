import GatePolicy
import GateRules

/// A loader that reads and checks the rules from an origin.
///
/// Rules published by a gate are not checked again, because a finding that rejects rules could then reject an undo.
struct RulesLoader: Sendable {
    let origin: RulesOrigin
    private let loader: RulesFileLoader
    let now: @Sendable () -> Timestamp

    init(_ origin: RulesOrigin, now: @escaping @Sendable () -> Timestamp) {
        self.origin = origin
        self.now = now
        self.loader = RulesFileLoader(
            path: origin.path,
            feedKinds: .none,
            gate: GateContext(servesGateways: true),
            now: now
        )
    }

    /// Loads the rules.
    ///
    /// - Parameters:
    ///   - loaded: The active rules; `nil` if there are none.
    ///   - former: The previously active revisions.
    ///   - sighting: The state in which the files were found; `nil` for the file that a gate publishes.
    /// - Returns: The rules; `nil` if the files have changed since the sighting.
    /// - Throws: `LoadFailure` if the rules are invalid, or if a finding rejects them.
    func load(
        after loaded: LoadedRules? = nil,
        former: [String] = [],
        seen sighting: RulesSighting? = nil
    ) throws(LoadFailure) -> LoadedRules? {
        let rules: LoadedRules?
        do throws(RulesFileErrors) {
            switch (self.origin, loaded) {
            case (.gate, _):
                return try self.loader.loadPublished(after: loaded)
            case (.files, let loaded?):
                rules = try self.loader.load(feeds: [:], unlessUnchanged: loaded, seen: sighting)
            case (.files, nil):
                rules = try self.loader.load()
            }
        } catch {
            throw .unreadable(error)
        }
        guard let rules else { return nil }
        // Previously active rules are accepted again, even if they allow more clients.
        let isReturn = former.contains(rules.definition.revision)
        return try rules.judged(against: loaded, isReturn: isReturn, at: self.now())
    }
}
