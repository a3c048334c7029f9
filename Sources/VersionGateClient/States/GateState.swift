/// The gate's decision about the build.
public enum GateState: Sendable, Hashable, Codable {
    /// The build is allowed.
    case allowed
    /// The build is allowed, and an update is recommended.
    case recommended(Update)
    /// The build is denied, permanently or until `brownoutUntil` of the update.
    case required(Update)
    /// The service is down for maintenance.
    case maintenance(MaintenanceWindow)
    /// The gate did not respond: the network is unavailable, or the response was not from a gate.
    ///
    /// `last` is the last known state, from this run of the app or an earlier run of the same
    /// build. It is never `unknown` itself.
    indirect case unknown(last: GateState?)

    /// The state to act on: `unknown` counts as `allowed`.
    ///
    /// The last known state may be outdated, and the gate evaluates each request anyway.
    public var inEffect: GateState {
        if case .unknown = self { .allowed } else { self }
    }

    /// The last known state, even if the gate is now unreachable; `nil` if there is none.
    var known: GateState? {
        guard case .unknown(let last) = self else { return self }
        return last?.known
    }
}
