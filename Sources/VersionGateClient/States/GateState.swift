public import Foundation

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

    /// The state to act on now: never a denial because the network is away.
    ///
    /// Of what the gate said before it could not be reached, only a requirement holds, and it holds
    /// until the gate lifts it or its brownout is over. All else counts as `allowed`: the answers of
    /// the backend are judged anyway.
    ///
    /// - Parameter now: The current time.
    /// - Returns: Every state but `unknown`.
    public func inEffect(at now: Date = Date()) -> GateState {
        guard case .unknown(let last) = self else { return self }
        guard case .required(let update)? = last else { return .allowed }
        guard let end = update.brownoutUntil, end <= now else { return .required(update) }
        return .allowed
    }

    /// The gate's last word, without the loss since; `nil` if it never said anything.
    var known: GateState? {
        guard case .unknown(let last) = self else { return self }
        return last?.known
    }
}
