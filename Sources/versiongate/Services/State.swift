import GateControl
import GateProxy
import GateRecords
import GateRules
import GateSystem
import Logging

/// The persistent data of the gate, if a state folder is configured.
struct State {
    /// The folder, if it is writable.
    let folder: StateFolder?
    let feeds: FeedStore?
    let lastGood: LastGoodRules?
    let archive: RulesArchive?
    /// The passes that were used; `nil` if no secret is configured.
    let passes: PassLedger?

    /// Opens the configured folder; problems are logged and do not prevent startup.
    init(_ settings: ServeSettings, logger: Logger) {
        guard let path = settings.stateDir else {
            (self.folder, self.feeds, self.lastGood) = (nil, nil, nil)
            self.archive = RulesArchive.open(in: nil, logger: logger)
            self.passes = settings.passes.map { _ in PassLedger(in: nil, logger: logger) }
            return
        }
        let folder = StateFolder(path: path)
        if let problem = folder.problem {
            logger.error(
                "nothing can be stored in --state-dir",
                metadata: ["folder": "\(path)", "error": "\(problem)"]
            )
        }
        self.folder = folder.problem == nil ? folder : nil
        self.feeds = FeedStore(folder)
        self.lastGood = LastGoodRules(folder, path: settings.rules)
        self.archive = RulesArchive.open(in: self.folder, logger: logger)
        let writable = self.folder
        self.passes = settings.passes.map { _ in PassLedger(in: writable, logger: logger) }
    }

    /// The functions for passes; `nil` if no secret is configured.
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
        // The active rules must be the last ones in the archive.
        for rules in [starting.former, starting.rules] {
            if let rules { self.archive?.keep(rules) }
        }
        return starting
    }
}

extension TrustedAuthorities {
    /// The system's CA certificates, and those in a file if one is configured.
    init(
        _ setting: KeyPath<Settings, Setting<String>>,
        _ path: String?
    ) throws(SettingsError) {
        guard let path else {
            self = .system
            return
        }
        do {
            self = try TrustedAuthorities(adding: path)
        } catch {
            throw SettingsError("\(Settings[setting].name.flag) '\(path)': \(error)")
        }
    }
}
