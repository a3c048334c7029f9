import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The gate's information in a response from the backend, taken from the header `X-VersionGate`.
public struct GateHint: Sendable, Hashable {
    /// The recommended update with its version, store URL and dates; `nil` if there is none.
    public var update: Update?
    /// The announced maintenance window with its start and end; `nil` if there is none.
    public var maintenance: MaintenanceWindow?
}

extension GateHint {
    /// Parses the hint in a response; returns `nil` if there is none.
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
                // Gates of version 0.1 use different parameter names and date formats.
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
                // Later versions of the gate may send tokens unknown to this library.
                continue
            }
        }
        guard self.update != nil || self.maintenance != nil else { return nil }
    }
}
