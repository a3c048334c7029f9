import GateProxy
import NIOCore

/// Access to the settings as a list and by key path.
extension Settings {
    static let table = Settings()

    /// All settings in declaration order.
    static let rows: [any SettingRow] = Mirror(reflecting: table).children.compactMap {
        $0.value as? any SettingRow
    }

    static subscript<Value>(_ setting: KeyPath<Settings, Setting<Value>>) -> Setting<Value> {
        self.table[keyPath: setting]
    }
}

/// The defaults in the rows.
extension Settings {
    /// The defaults of the data plane.
    static let gate = GateSettings(
        listen: Endpoint(host: "127.0.0.1", port: 8080),
        upstream: UpstreamSettings(Endpoint(host: "127.0.0.1", port: 80))
    )

    static func text(_ time: TimeAmount) -> String {
        let (seconds, rest) = time.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        precondition(rest == 0, "the default is not a whole number of seconds")
        return "\(seconds)"
    }
}

extension Setting<Bool> {
    init(_ key: String, default isOn: Bool, _ meaning: String) {
        self.init(key, .boolean, default: "\(isOn)", meaning)
    }
}

extension Setting<TimeAmount> {
    init(_ key: String, default time: TimeAmount, _ meaning: String) {
        self.init(key, .seconds, default: Settings.text(time), meaning)
    }
}
