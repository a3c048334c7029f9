import GateControl
import Logging

/// What feeds said before the start, and what they need to go on.
struct RememberedFeeds {
    let store: FeedStore?
    let trust: TrustedAuthorities
    let contributions: [String: FeedContribution]
    private let logger: Logger

    /// - Throws: `SettingsError` if the folder or the file of authorities is of no use.
    init(_ settings: ServeSettings, logger: Logger) throws(SettingsError) {
        self.logger = logger
        self.trust = try TrustedAuthorities(setting: settings.feedCA)
        guard let folder = settings.stateDir else {
            (self.store, self.contributions) = (nil, [:])
            return
        }
        let store: FeedStore
        do {
            store = try FeedStore(folder: folder)
        } catch {
            throw SettingsError("\(Setting.stateDir.flag) '\(folder)': \(error)")
        }
        self.store = store
        self.contributions = store.contributions { logger.warning("\($0)") }
    }

    /// Reads the rules with what feeds said, or alone if that no longer fits them.
    func load(_ loader: RulesFileLoader) throws(RulesFileErrors) -> LoadedRules {
        do {
            return try loader.load(feeds: self.contributions)
        } catch {
            guard !self.contributions.isEmpty, let alone = try? loader.load() else { throw error }
            // What the sources say now may fit; without a start nobody would find out.
            for error in error.errors { self.logger.error("\(error)") }
            self.logger.error("what feeds said before the start does not fit the rules any more")
            return alone
        }
    }
}

extension TrustedAuthorities {
    /// Those whom the system trusts, and those of a file if one is set.
    init(setting path: String?) throws(SettingsError) {
        guard let path else {
            self = .system
            return
        }
        do {
            self = try TrustedAuthorities(adding: path)
        } catch {
            throw SettingsError("\(Setting.feedCA.flag) '\(path)': \(error)")
        }
    }
}
