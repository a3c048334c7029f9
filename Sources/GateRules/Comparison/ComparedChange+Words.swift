package import GatePolicy

extension ComparedChange {
    /// The possible effects of a change on a client, worst first.
    package enum Kind: String, Sendable, CaseIterable, Encodable {
        case denied = "newly denied"
        case allowed = "no longer denied"
        case hinted = "newly told to update"
        case unhinted = "no longer told to update"
        case moved = "sent to another backend"
        /// The backend is the same, but `otherwise` differs.
        case fallback = "given another fallback"
        case answered = "answered otherwise"

        /// The position in `allCases`.
        var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package var kind: Kind {
        let wasDenied = self.before.kind >= .require
        let isDenied = self.after.kind >= .require
        switch (wasDenied, isDenied) {
        case (false, true): return .denied
        case (true, false): return .allowed
        case (true, true): return .answered
        case (false, false):
            guard self.before.kind == self.after.kind else {
                return self.after.kind == .recommend ? .hinted : .unhinted
            }
            let (old, new) = (self.before.route, self.after.route)
            if old?.backend != new?.backend { return .moved }
            return old?.fallback == new?.fallback ? .answered : .fallback
        }
    }

    /// Whether only the backend or its fallback differs.
    var isAboutRoutes: Bool { self.kind == .moved || self.kind == .fallback }

    /// The effect as text; for a change of backend, with both backends.
    var effectWords: String {
        guard self.kind == .moved else { return self.kind.rawValue }
        let (old, new) = (self.before.route?.backend, self.after.route?.backend)
        return
            "sent to backend \(new ?? Route.defaultBackend) instead of \(old ?? Route.defaultBackend)"
    }

    /// Both outcomes as text, such as `allow -> allow, backend legacy by rule old instead of default`.
    var outcomeWords: String {
        Self.words(self.before, beside: self.after)
            + " -> \(Self.words(self.after, beside: self.before))\(self.routeWords)"
    }

    private static func words(
        _ outcome: ComparedOutcome,
        beside other: ComparedOutcome
    ) -> String {
        var words = outcome.kind.rawValue
        if let status = outcome.status { words += " (\(status))" }
        if let rule = outcome.rule { words += " by rule \(rule)" }
        if outcome.isBrownout { words += " in a brownout" }
        if outcome.kind == other.kind, outcome.storeURL != other.storeURL {
            words += ", store URL \(outcome.storeURL ?? "none")"
        }
        // If both outcomes forward the request, `routeWords` describes the backends.
        if other.kind >= .require, let route = outcome.route { words += ", \(route.words)" }
        return words
    }

    /// The difference between the routes as text; empty unless both outcomes forward the request.
    private var routeWords: String {
        guard self.before.kind < .require, self.after.kind < .require else { return "" }
        let (old, new) = (self.before.route, self.after.route)
        if old?.backend != new?.backend {
            return
                ", \(new?.words ?? "backend \(Route.defaultBackend)") instead of \(old?.backend ?? Route.defaultBackend)"
        }
        guard let old, let new, old.fallback != new.fallback else { return "" }
        return
            ", \(new.words), otherwise \(new.fallback.rawValue) instead of \(old.fallback.rawValue)"
    }
}

extension Decision.Destination {
    fileprivate var words: String { "backend \(self.backend) by rule \(self.ruleID)" }
}
