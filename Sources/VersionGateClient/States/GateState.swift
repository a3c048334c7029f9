/// The gate's judgement of the build.
public enum GateState: Sendable, Hashable, Codable {
    /// The build is served.
    case allowed
    /// The build is served, and there is a better one.
    case recommended(Update)
    /// The build is refused, for good or until `brownoutUntil` of the update.
    case required(Update)
    /// Nobody is served.
    case maintenance(MaintenanceWindow)
    /// The gate did not answer: the network is away, or something else answered in its place.
    ///
    /// `last` is what the gate said before, in this run of the app or an earlier one of the same
    /// build; it is never itself `unknown`.
    indirect case unknown(last: GateState?)

    /// The state to act on: what is unknown denies nothing, and counts as `allowed`.
    ///
    /// The last word may have been undone since, and the gate judges each request anyway.
    public var inEffect: GateState {
        if case .unknown = self { .allowed } else { self }
    }

    /// The gate's last word, without the loss since; `nil` if it never said anything.
    var known: GateState? {
        guard case .unknown(let last) = self else { return self }
        return last?.known
    }
}
