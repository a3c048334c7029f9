import GateControl
import GateProxy
import GateRecords
import GateRules
import GateSystem
import Logging

/// The persistent data of the gate, if a state folder is configured.
struct State {
    /// The state folder; `nil` if none is configured or it is not writable.
    let folder: StateFolder?
    let feeds: FeedStore?
    let lastGood: LastGoodRules?
    let archive: RulesArchive?
    /// The ledger of used passes; `nil` if no secret is configured.
    let passes: PassLedger?

    /// Opens the configured folder; problems are logged and do not prevent startup.
    init(_ settings: ServeSettings, logger: Logger) {
        let folder = settings.stateDir.map { StateFolder(path: $0) }
        if let folder, let problem = folder.problem {
            logger.error(
                "nothing can be stored in --state-dir",
                metadata: ["folder": "\(folder.path)", "error": "\(problem)"]
            )
        }
        let writable = folder?.problem == nil ? folder : nil
        self.folder = writable
        self.feeds = folder.map { FeedStore($0) }
        self.lastGood = folder.map { LastGoodRules($0, path: settings.rules) }
        self.archive = RulesArchive.open(in: writable, logger: logger)
        self.passes = settings.passes.map { _ in PassLedger(in: writable, logger: logger) }
    }

    /// Returns the functions that verify and redeem passes; `nil` if no secret is configured.
    func passSettings(_ settings: ServeSettings) -> PassSettings? {
        guard let seal = settings.passes, let ledger = self.passes else { return nil }
        return PassSettings(
            read: { value, client, now in seal.read(value, of: client, at: now) },
            use: { ledger.use($0) },
            isUsable: { ledger.isUsable($0) }
        )
    }

    func startingRules(
        _ settings: ServeSettings,
        _ loader: RulesFileLoader,
        logger: Logger
    ) throws(LoadFailure) -> StartingRules {
        let starting = try StartingRules(
            loader,
            contributions: self.feeds?.contributions { logger.warning("\($0)") } ?? [:],
            lastGood: self.lastGood?.read { logger.warning("\($0)") },
            isStrict: settings.isStrictStart,
            at: SystemClock.now(),
            logger: logger
        )
        if starting.failure == nil { self.lastGood?.keep(starting.rules) }
        // The active rules must be the last rules in the archive.
        for case let rules? in [starting.former, starting.rules] { self.archive?.keep(rules) }
        return starting
    }
}

extension TrustedAuthorities {
    /// Creates a set of the system's CA certificates and, if `path` is not `nil`, the certificates in that file.
    init(
        _ setting: KeyPath<Settings, Setting<String>>,
        _ path: String?
    ) throws(SettingsError) {
        self = try Settings.open(setting, path) { try TrustedAuthorities(adding: $0) } ?? .system
    }
}
