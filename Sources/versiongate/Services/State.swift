import GateControl
import GateRecords
import GateRules
import GateSystem
import Logging

/// The data that outlives the process, as far as there is a folder for it.
struct State {
    /// The folder itself, if it can be written to.
    let folder: StateFolder?
    let feeds: FeedStore?
    let lastGood: LastGoodRules?
    let archive: RulesArchive?

    /// Opens the folder that the settings name; what is wrong with it is logged, and no reason not to
    /// start.
    init(_ settings: ServeSettings, logger: Logger) {
        guard let path = settings.stateDir else {
            (self.folder, self.feeds, self.lastGood) = (nil, nil, nil)
            self.archive = RulesArchive.open(in: nil, logger: logger)
            return
        }
        let folder = StateFolder(path: path)
        if let problem = folder.problem {
            logger.error(
                "nothing can be kept for a restart",
                metadata: ["folder": "\(path)", "error": "\(problem)"]
            )
        }
        self.folder = folder.problem == nil ? folder : nil
        self.feeds = FeedStore(folder)
        self.lastGood = LastGoodRules(folder, path: settings.rules)
        self.archive = RulesArchive.open(in: self.folder, logger: logger)
    }

    /// The rules to start by.
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
        // The last one that is kept is in force.
        for rules in [starting.former, starting.rules] {
            if let rules { self.archive?.keep(rules) }
        }
        return starting
    }
}

extension TrustedAuthorities {
    /// Those whom the system trusts, and those of a file if one is set.
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
