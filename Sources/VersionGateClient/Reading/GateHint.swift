import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The gate's news beside an answer of the backend, in the field `X-VersionGate`.
public struct GateHint: Sendable, Hashable {
    /// The update that is recommended: its version, its store and its dates; `nil` if there is none.
    public var update: Update?
    /// The maintenance that is announced: its begin and end; `nil` if there is none.
    public var maintenance: MaintenanceWindow?
}

extension GateHint {
    /// Reads the hint of an answer; `nil` if there is none.
    init?(_ response: HTTPURLResponse) {
        let value = response.value(forHTTPHeaderField: GateWire.marker)
        guard let field = value.flatMap({ StructuredField($0) }) else { return nil }
        for (token, parameters) in field.tokens {
            switch token {
            case "recommend":
                var update = Update()
                update.latestVersion = parameters["latest"]?.text
                update.storeURL = parameters["url"]?.text.flatMap { URL(string: $0) }
                update.enforceFrom = parameters["enforce-from"]?.date
                // Gates of version 0.1 have names and dates of their own.
                let next = parameters["brownout-from"] ?? parameters["next-brownout"]
                update.brownoutFrom = next?.date
                update.brownoutUntil = parameters["brownout-until"]?.date
                update.snoozeSeconds = parameters["snooze-seconds"]?.seconds
                self.update = update
            case "maintenance-announced":
                var window = MaintenanceWindow()
                window.from = (parameters["maintenance-from"] ?? parameters["from"])?.date
                window.until = (parameters["maintenance-until"] ?? parameters["until"])?.date
                self.maintenance = window
            default:
                // A later gate may say more than this library knows.
                continue
            }
        }
        guard self.update != nil || self.maintenance != nil else { return nil }
    }
}
