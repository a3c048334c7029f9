import ArgumentParser
import GateFeeds
import GateRecords
import GateRules
import GateSystem

/// The option for the rules with which a command evaluates clients.
struct KeptRules: ParsableArguments {
    @Option(help: "The active rules (default: the last good rules in the state directory).")
    var rules: String?

    /// Loads the rules that `--rules` names, or the gate's last good rules.
    func load(or place: CensusFolderOption) throws -> LoadedRules {
        try Self.load(self.rules, or: place, flag: "--rules")
    }

    /// Loads the rules from a file or folder or, without one, the last good rules in the state
    /// folder.
    ///
    /// Prints the errors and exits if the rules cannot be loaded.
    static func load(_ path: String?, or place: CensusFolderOption, flag: String) throws
        -> LoadedRules
    {
        let folder = StateFolder(path: try place.path())
        let contributions = FeedStore(folder).contributions { StandardError.write("\($0)") }
        if let path {
            return try self.load { () throws(RulesFileErrors) in
                try RulesFileLoader(path: path, feedKinds: .all, now: SystemClock.now)
                    .load(feeds: contributions)
            }
        }
        let texts = LastGoodRules.texts(in: folder) { StandardError.write("versiongate: \($0)") }
        guard let texts else {
            try StandardError.fail(
                "versiongate: no last good rules in the state directory; use \(flag)"
            )
        }
        return try self.load { () throws(RulesFileErrors) in
            try RulesFileLoader(path: "", feedKinds: .all, now: SystemClock.now)
                .load(kept: texts.sources, feeds: contributions)
        }
    }

    private static func load(
        _ load: () throws(RulesFileErrors) -> LoadedRules
    ) throws -> LoadedRules {
        do throws(RulesFileErrors) {
            return try load()
        } catch {
            try StandardError.fail(error.errors.map(\.description))
        }
    }
}
