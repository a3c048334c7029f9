import GateRules
import Synchronization

/// The settings in the `filter_config` of a route.
final class RouteSettings: Sendable {
    /// Whether requests are evaluated and counted, but never denied or sent to another backend.
    let observes: Bool
    /// The path for which the rules are evaluated; `nil` means the path of the request.
    let path: [UInt8]?

    private static let hint =
        "write 'mode: observe', 'path: /v2/payments' with the path to use for the rules, or both"

    /// Parses the settings of a route.
    ///
    /// - Throws: The error to log if the settings are invalid.
    init(_ bytes: [UInt8]) throws(RulesFileError) {
        let entries = try SettingsFile.moduleEntries(
            in: bytes,
            keys: ["mode", "path"],
            hint: Self.hint
        )
        if let mode = entries["mode"], !["enforce", "observe"].contains(mode.text) {
            throw mode.remark("'\(mode.text)' is not a valid mode; expected 'enforce' or 'observe'")
        }
        if let path = entries["path"], !path.text.hasPrefix("/") {
            throw path.remark("'\(path.text)' is not a path; it must begin with '/'")
        }
        self.observes = entries["mode"]?.text == "observe"
        self.path = entries["path"].map { Array($0.text.utf8) }
        Self.exist.store(true, ordering: .releasing)
        if self.observes { Self.observing.store(true, ordering: .releasing) }
    }

    /// Whether any route in this process has or had settings; if so, each request must look up its route's settings.
    static var areUsed: Bool { self.exist.load(ordering: .acquiring) }
    /// Whether any route in this process is or was in observe mode; if so, rules are also compiled for this mode.
    static var needObservingRules: Bool { self.observing.load(ordering: .acquiring) }

    private static let exist = Atomic(false)
    private static let observing = Atomic(false)
}
