import GatePolicy
import GateRules
import Synchronization

/// The last valid rules from an origin, which are replaced when the files change.
///
/// All filters with the same origin share one follower, and all threads read the follower's rules.
final class RulesFollower: Sendable {
    fileprivate struct State {
        /// The maximum number of revisions in `former`.
        private static let formerLimit = 100

        var loaded: LoadedRules
        var sightings = RulesSightings()
        /// The last known state of the file that a gate publishes.
        var identity: RulesIdentity?
        var failure: LoadFailure?
        /// The previously active revisions, oldest first.
        var former: [String] = []
        /// The previous rules that threads may still use.
        var retired: [RuleSet] = []
    }

    private struct Published {
        var ruleSet: RuleSet
        /// The same rules for routes in observe mode; `nil` if there is no such route.
        var observing: RuleSet?

        init(_ loaded: LoadedRules) {
            self.ruleSet = loaded.ruleSet
            self.observing =
                RouteSettings.needObservingRules ? RulesFollower.observing(loaded) : nil
        }

        var ruleSets: [RuleSet] { [self.ruleSet, self.observing].compactMap(\.self) }
    }

    var origin: RulesOrigin { self.loader.origin }
    private let loader: RulesLoader
    let openStreams = OpenStreams()
    /// The state of the watching thread, which holds the lock while it reads files.
    private let state: Mutex<State>
    /// The active rules; threads hold this lock only to copy or replace the references.
    private let published: Mutex<Published>
    /// The number of times that the rules have been replaced.
    private let replacements = Atomic(0)

    /// Loads the rules from an origin.
    ///
    /// - Throws: `LoadFailure` if the rules cannot be loaded.
    init(
        _ origin: RulesOrigin,
        now: @escaping @Sendable () -> Timestamp = ThreadRules.wallClock
    ) throws(LoadFailure) {
        self.loader = RulesLoader(origin, now: now)
        var sightings = RulesSightings()
        let sighted = RulesState(path: origin.path)
        let identity = RulesIdentity(path: origin.path)
        guard let loaded = try self.loader.load() else {
            preconditionFailure("only a load with a sighting can return no rules")
        }
        _ = sightings.look(sighted)
        self.state = Mutex(State(loaded: loaded, sightings: sightings, identity: identity))
        self.published = Mutex(Published(loaded))
        Self.log(loaded, after: nil)
    }

    /// The number of times that the rules have been replaced; while it is unchanged, so are the rules.
    var generation: Int { self.replacements.load(ordering: .acquiring) }

    /// Returns the active rules and their generation.
    ///
    /// `isObserving` indicates whether the rules are for a route in observe mode.
    func current(observing isObserving: Bool) -> (ruleSet: RuleSet, generation: Int) {
        self.published.withLock { published in
            let ruleSet = isObserving ? published.observing : nil
            return (ruleSet ?? published.ruleSet, self.generation)
        }
    }

    /// Wakes the streams whose rules have been replaced, or whose verdicts have expired.
    ///
    /// Only the watching thread calls this method.
    func wakeStreams() {
        self.openStreams.wakeOutdated(by: self.generation, at: self.loader.now())
    }

    /// Compiles the rules for routes in observe mode, now and after each replacement.
    func addObservingRules() {
        // A replacement waits for the state lock, and then also compiles rules for observe mode.
        self.state.withLock { state in
            guard self.published.withLock({ $0.observing == nil }) else { return }
            let observing = Self.observing(state.loaded)
            self.published.withLock { published in
                published.observing = observing
                self.replacements.add(1, ordering: .releasing)
            }
        }
    }

    private static func observing(_ loaded: LoadedRules) -> RuleSet {
        var definition = loaded.definition
        definition.mode = .observe
        return RuleSet(definition)
    }

    /// Loads the rules again if the files have changed and are completely written.
    ///
    /// Only the watching thread calls this method.
    func check() {
        let (change, loaded, former) = self.state.withLock { state in
            state.dropUnused()
            return (state.change(of: self.origin), state.loaded, state.former)
        }
        guard let change else { return }
        do throws(LoadFailure) {
            let new = try self.loader.load(after: loaded, former: former, seen: change.sighting)
            if let new { self.use(new, after: loaded) }
        } catch {
            self.keep(loaded, after: error)
        }
    }

    private func use(_ new: LoadedRules, after old: LoadedRules) {
        // A trip of the circuit breaker changes the rules, but not their revision.
        let isNew = new.definition != old.definition
        let hadFailed = self.state.withLock { state in
            defer { state.failure = nil }
            guard isNew else { return state.failure != nil }
            state.remember(old.definition.revision)
            let next = Published(new)
            state.loaded = new
            state.retired += self.published.withLock { published in
                defer { published = next }
                self.replacements.add(1, ordering: .releasing)
                return published.ruleSets
            }
            return false
        }
        if isNew {
            Self.log(new, after: old)
        } else if hadFailed {
            EnvoyLog.info("rules valid again, revision \(new.definition.revision)")
        }
    }

    private func keep(_ loaded: LoadedRules, after failure: LoadFailure) {
        let isKnown = self.state.withLock { state in
            defer { state.failure = failure }
            return state.failure == failure
        }
        guard !isKnown else { return }
        for error in failure.errors.prefix(Self.messageLimit) { EnvoyLog.error("\(error)") }
        EnvoyLog.error("rules not loaded; keeping revision \(loaded.definition.revision)")
    }

    /// The maximum number of findings or errors to log at a time; `versiongate check` shows all of them.
    private static let messageLimit = 20

    private static func log(_ loaded: LoadedRules, after old: LoadedRules?) {
        let known = Set(old?.findings.all ?? [])
        let new = loaded.findings.all.filter { $0.isLoud && !known.contains($0) }
        for finding in new.prefix(Self.messageLimit) { EnvoyLog.warning("\(finding)") }
        let definition = loaded.definition
        // A trip of the circuit breaker does not change the revision.
        let observing = definition.rules.filter { $0.mode == .observe }.map(\.id)
        let names = observing.prefix(Self.messageLimit).joined(separator: ", ")
        EnvoyLog.info(
            "rules loaded, revision \(definition.revision), \(definition.rules.count) rules"
                + (observing.isEmpty ? "" : ", in observe mode: \(names)")
        )
    }
}

extension RulesFollower.State {
    /// A change to the files; the sighting is `nil` for the file that a gate publishes.
    struct Change {
        let sighting: RulesSighting?
    }

    /// Returns a change after two consecutive checks have found the files in the same state.
    ///
    /// The file that a gate publishes is replaced atomically, so a single check is sufficient. Two checks might never
    /// find the same state, because the file can change often.
    fileprivate mutating func change(of origin: RulesOrigin) -> Change? {
        switch origin {
        case .gate(let path):
            let identity = RulesIdentity(path: path)
            defer { self.identity = identity }
            return identity == self.identity ? nil : Change(sighting: nil)
        case .files(let path):
            guard !self.sightings.know(RulesIdentity(path: path)) else { return nil }
            let state = RulesState(path: path)
            return self.sightings.glance(state) == .report ? Change(sighting: state.sighting) : nil
        }
    }

    fileprivate mutating func remember(_ revision: String) {
        self.former.removeAll { $0 == revision }
        self.former.append(revision)
        self.former = self.former.suffix(Self.formerLimit)
    }

    /// Deallocates, on the calling thread, the rules that no thread uses anymore.
    fileprivate mutating func dropUnused() {
        var kept: [RuleSet] = []
        while var last = self.retired.popLast() {
            if !isKnownUniquelyReferenced(&last) { kept.append(last) }
        }
        self.retired = kept
    }
}
