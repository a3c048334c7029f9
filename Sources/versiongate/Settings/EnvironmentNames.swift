import FoundationEssentials
import GateRules

/// Detects environment variables that look like settings but are not.
enum EnvironmentNames {
    private static let prefix = "VERSIONGATE_"

    /// A warning for each variable that starts with the prefix but is not a setting.
    ///
    /// There is no warning for `VERSIONGATE_PORT…` and `VERSIONGATE_SERVICE_…`, which Kubernetes sets
    /// in each container if a service is named `versiongate`.
    static var remarks: [String] {
        self.unknown.map { name in
            let rest =
                self.nearest(to: name).map { "did you mean '\($0)'?" }
                ?? "'versiongate settings' lists all settings"
            return "\(name) in the environment is not a setting and has no effect; \(rest)"
        }
    }

    /// Returns an unknown variable that was probably meant for a setting; `nil` if there is none.
    static func misspelt(as setting: SettingName) -> String? {
        self.unknown.first { self.nearest(to: $0) == setting.environmentVariable }
    }

    /// Returns the setting's variable with the most similar name after the prefix; `nil` if no name is similar.
    private static func nearest(to name: String) -> String? {
        Spelling.nearest(
            to: String(name.dropFirst(self.prefix.count)),
            among: self.known.map { String($0.dropFirst(self.prefix.count)) }
        ).map { self.prefix + $0 }
    }

    private static let known = Settings.rows.map(\.name.environmentVariable)

    private static var unknown: [String] {
        ProcessInfo.processInfo.environment.keys.filter { name in
            name.uppercased().hasPrefix(self.prefix) && !self.known.contains(name)
                && !self.isOfKubernetes(name)
        }.sorted()
    }

    private static func isOfKubernetes(_ name: String) -> Bool {
        name == "VERSIONGATE_PORT" || name.hasPrefix("VERSIONGATE_PORT_")
            || name.hasPrefix("VERSIONGATE_SERVICE_")
    }
}
