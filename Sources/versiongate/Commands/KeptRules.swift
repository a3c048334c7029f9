import ArgumentParser
import GateFeeds
import GateRecords
import GateRules
import GateSystem

/// The rules that a command asks about the clients of a gate.
struct KeptRules: ParsableArguments {
    @Option(help: "The rules in force (default: those that the gate has kept).")
    var rules: String?

    /// Those that are named, or that the gate has kept.
    func load(or place: CensusPlace) throws -> LoadedRules {
        try Self.load(self.rules, or: place, flag: "--rules")
    }

    /// Those of a file or folder, or those that the gate has kept as its last good ones; says what is wrong, and
    /// ends, if they cannot be loaded.
    static func load(_ path: String?, or place: CensusPlace, flag: String) throws -> LoadedRules {
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
            StandardError.write("versiongate: the gate has kept no rules; name them by \(flag)")
            throw ExitCode.failure
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
            for error in error.errors { StandardError.write(error.description) }
            throw ExitCode.failure
        }
    }
}
