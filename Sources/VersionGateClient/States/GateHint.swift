/// What the gate says beside an answer of the backend, in the field `X-VersionGate`.
public struct GateHint: Sendable, Hashable {
    /// The update that is recommended: its version, its store and its dates; `nil` if there is none.
    public var update: Update?
    /// The maintenance that is announced: its begin and end; `nil` if there is none.
    public var maintenance: MaintenanceWindow?
}
