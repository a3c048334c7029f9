import FoundationEssentials
import GateRules

/// The names in the environment that are probably meant for the gate, and that nobody reads.
enum EnvironmentNames {
    private static let prefix = "VERSIONGATE_"

    /// A line for each name that no setting has.
    ///
    /// Kubernetes gives each container `VERSIONGATE_PORT…` and `VERSIONGATE_SERVICE_…` for a service of
    /// that name: these are nobody's slip.
    static func remarks(
        on environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [String] {
        self.unknown(in: environment).map { name in
            let rest =
                self.nearest(to: name).map { "did you mean '\($0)'?" }
                ?? "'versiongate settings' lists them"
            return "\(name) in the environment is no setting, and nobody reads it; \(rest)"
        }
    }

    /// The unknown name that is nearest to the one of a setting.
    static func misspelt(
        as setting: SettingName,
        in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        self.unknown(in: environment).first {
            self.nearest(to: $0) == setting.environmentVariable
        }
    }

    /// The setting that is nearest to a name; the prefix, which all have, brings none nearer.
    private static func nearest(to name: String) -> String? {
        let names = self.known.map { $0.dropFirst(self.prefix.count) }
        return Spelling.nearest(
            to: String(name.dropFirst(self.prefix.count)),
            among: names.map { String($0) }
        ).map { self.prefix + $0 }
    }

    private static let known = Settings.rows.map(\.name.environmentVariable)

    private static func unknown(in environment: [String: String]) -> [String] {
        environment.keys.filter { name in
            name.uppercased().hasPrefix(self.prefix) && !self.known.contains(name)
                && !self.isOfKubernetes(name)
        }.sorted()
    }

    private static func isOfKubernetes(_ name: String) -> Bool {
        name == "VERSIONGATE_PORT" || name.hasPrefix("VERSIONGATE_PORT_")
            || name.hasPrefix("VERSIONGATE_SERVICE_")
    }
}
